import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { customAgent } from '../support/sampleTurn';
import { notOnWindows } from '../support/machine';
import { jobBranch, createSampleRepository, git, temporaryFolder } from '../support/temporaryRepository';
import { openReview } from '../support/reviewPage';
import { type LocalBench, localBench, projectAt } from './contractBench';

/** A repository or an agent that tries to act outside its own folder. Each trap that runs leaves a line in a file. */
describe('local service, hostile agents and repositories', function () {
  notOnWindows();
  let folder: string;
  let marks: string;
  let trap: string;
  let service: LocalBench;
  before(async () => (service = await localBench()));
  after(() => service.close());
  beforeEach(async () => {
    folder = await temporaryFolder();
    marks = join(folder, 'marks');
    trap = join(folder, 'trap.sh');
    await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> '${marks}'\n`);
    await chmod(trap, 0o755);
  });

  const sprung = () => readFile(marks, 'utf8').catch(() => '');

  /** Runs one job whose agent is this shell script. */
  async function runAgent(script: string) {
    const file = join(folder, 'agent.sh');
    await writeFile(file, script);
    const bench = await projectAt(service, { agentCommand: ['sh', file] });
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    return { job: await bench.ended(id), bench, id };
  }

  const configuration = (detour = false) => `
[core]
  fsmonitor = ${trap}
  hooksPath = ${folder}/hooks
  sshCommand = ${trap}
  pager = ${trap}
  editor = ${trap}
  alternateRefsCommand = ${trap}
  attributesFile = ${folder}/attributes
[filter "trap"]
  clean = ${trap}
  smudge = ${trap}
  required = true
[filter "long=name.x"]
  process = ${trap}
  required = true
[diff]
  external = ${trap}
[diff "trap"]
  textconv = ${trap}
[gpg]
  program = ${trap}
[commit]
  gpgSign = true
[protocol]
  allow = always
[protocol "ssh"]
  allow = always
[uploadpack]
  packObjectsHook = ${trap}
${detour ? '[url "ssh://evil.example/"]\n  insteadOf = /' : ''}
[alias]
  add = !${trap}
  status = !${trap}
`;

  const HOOKS = ['post-checkout', 'pre-commit', 'reference-transaction', 'post-merge', 'pre-push', 'post-index-change'];

  const setHooks = async (directory: string): Promise<void> => {
    await mkdir(directory, { recursive: true });
    for (const hook of HOOKS) {
      await writeFile(join(directory, hook), await readFile(trap));
      await chmod(join(directory, hook), 0o755);
    }
  };

  it('run nothing that an agent configures in its own clone', async () => {
    await writeFile(join(folder, 'config'), configuration());
    await setHooks(join(folder, 'hooks'));
    const { job, bench, id } = await runAgent(`
      cat '${folder}/config' >> .git/config
      mkdir -p .git/hooks .git/info && cp '${folder}'/hooks/* .git/hooks/
      echo '* filter=trap diff=trap' > .git/info/attributes
      printf '* filter=trap diff=trap\\n*.ts filter=long=name.x\\n' > .gitattributes
      echo more >> README.md; echo '// more' >> src/retry.ts
    `);
    assert.equal(await sprung(), '');
    assert.equal(job.status, 'completed', String(job['error']));
    assert.equal((await openReview({ target: bench.target, jobId: id })).page.status, 200);
    assert.match(await git(bench.repo, 'show', `${await jobBranch(bench.repo, id)}:README.md`), /more\n$/);
    assert.equal(await sprung(), '');
    await git(join(bench.service.data, 'jobs', id, 'work'), 'diff').catch(() => '');
    assert.notEqual(await sprung(), '', 'the traps spring for who does not look out');
  });

  for (const detour of [false, true]) {
    it(`run nothing that a repository configures${detour ? ', even if it also redirects paths' : ''}`, async () => {
      const repo = join(folder, 'repository');
      await createSampleRepository(repo);
      await writeFile(join(repo, '.gitattributes'), '* filter=trap diff=trap\n*.ts filter=long=name.x\n');
      await git(repo, 'add', '.gitattributes');
      await git(repo, 'commit', '--quiet', '-m', 'Attributes');
      await setHooks(join(repo, '.git/hooks'));
      await setHooks(join(folder, 'hooks'));
      const config = join(repo, '.git/config');
      await writeFile(config, `${await readFile(config, 'utf8')}${configuration(detour)}`);
      await writeFile(join(repo, 'README.md'), 'changed\n');
      await writeFile(join(repo, 'src/retry.ts'), 'changed\n');

      const bench = await projectAt(service, { repo });
      const headers = { authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ folder: repo, settings: customAgent(['sh', '-c', 'echo more >> README.md']) });
      const put = await fetch(`${bench.target.baseUrl}/local/projects`, { method: 'PUT', headers, body });
      assert.deepEqual(((await put.json()) as { dirty: boolean }).dirty, true);
      const { id } = await bench.client.createJob(bench.target, 'Document the limits');
      assert.equal((await bench.ended(id)).status, detour ? 'failed' : 'completed');
      assert.equal(await sprung(), '');
      await git(repo, 'diff').catch(() => '');
      assert.notEqual(await sprung(), '', 'the traps spring for who does not look out');
    });
  }
});
