import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Uri, workspace } from 'vscode';
import { changedFiles } from '../../../src/extension/platform/changedFiles';
import { branchToFetch } from '../../../src/extension/platform/branchToFetch';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import {
  findBranchBase,
  type JobRepository,
  knownBranch,
  openJobRepositories,
} from '../../../src/extension/platform/jobRepository';
import { Repositories } from '../../../src/extension/platform/repositories';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { git } from '../../support/temporaryRepository';
import { snapshot, trackedJob } from '../../support/trackedJob';
import { activatedApi, hostedJob } from './support';

const REF = 'docs-agent/later';

describe('the branch of a hosted job', function () {
  let root: string;
  let remote: string;
  let agent: string;

  before(async () => {
    await activatedApi();
    const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0);
    [root, remote, agent] = [join(folder, 'old'), join(folder, 'old.git'), join(folder, 'old agent')];
    await git(folder, 'clone', '--quiet', '--bare', folder, remote);
    await git(folder, 'clone', '--quiet', remote, agent);
    await git(folder, 'clone', '--quiet', remote, root);
    await git(root, 'switch', '--quiet', '-c', 'feature');
    await symlink('README.md', join(agent, 'linked.md'));
    await commitFile('README.md', 'Of others\n');
    await git(agent, 'switch', '--quiet', '-c', REF);
    await rm(join(agent, 'linked.md'));
    await writeFile(join(agent, 'linked.md'), 'A file now\n');
    await commitFile('docs/later.md', 'Later\n');
    await git(agent, 'push', '--quiet', 'origin', 'main', REF);
    await git(root, 'fetch', '--quiet', 'origin');
    await (api as unknown as { openRepository(uri: Uri): Promise<unknown> }).openRepository(Uri.file(root));
    // The remotes are known only after a status update.
    await api.getRepository(Uri.file(join(root, 'README.md')))?.status();
  });
  after(async () => {
    await Promise.all([root, remote, agent].map((path) => rm(path, { recursive: true, force: true, maxRetries: 3 })));
  });

  async function commitFile(path: string, text: string): Promise<void> {
    await writeFile(join(agent, path), text);
    await git(agent, 'add', '--all');
    await git(agent, 'commit', '--quiet', '-m', `Write ${path}`);
  }

  const commit = async (name: string): Promise<string> => (await git(root, 'rev-parse', name)).trim();

  async function found(repository: string | null): Promise<JobRepository[]> {
    const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
    const job: TrackedJob = trackedJob({ snapshot: snapshot('completed', { ref: REF, repository }), home });
    return openJobRepositories(job, true);
  }

  it('is not searched for in any repository if the service names none', async () => {
    deepStrictEqual(await found(null), []);
    strictEqual((await found(Uri.file(remote).toString())).length, 1);
  });

  it('shows only its own changes while an old branch is checked out, based on the commit that the service names', async () => {
    const [own] = await found(Uri.file(remote).toString());
    ok(own !== undefined);
    const tip = await commit(`origin/${REF}`);
    const base = await findBranchBase(own, tip);
    strictEqual(base, await commit('origin/main'));
    const opened = await new Repositories().open(own.repository, AbortSignal.timeout(10_000));
    const files = await changedFiles(own.repository, opened, { base, commit: tip, jobKey: 'k' });
    deepStrictEqual(
      files.map(([{ fsPath }, before, after]) => [
        fsPath.slice(root.length + 1),
        before !== undefined,
        after !== undefined,
      ]),
      [
        ['docs/later.md', false, true],
        ['linked.md', true, true],
      ],
    );
    const old = await commit('feature');
    strictEqual(await findBranchBase(own, tip, old), old);
    strictEqual(await findBranchBase(own, tip, '0'.repeat(40)), base);
  });

  it('is offered for fetching while it is missing or older than the last prompt, with the commits it started from', async () => {
    const ref = 'docs-agent/unfetched';
    const job = { ...hostedJob(ref, { repository: Uri.file(remote).toString() }), endedAt: 1 };
    const offer = (acceptedAt?: number) => branchToFetch({ ...job, acceptedAt }, true);
    await git(agent, 'switch', '--quiet', 'main');
    await commitFile('README.md', 'Also of others\n');
    await git(agent, 'switch', '--quiet', '-c', ref);
    await commitFile('docs/own.md', 'Own\n');
    await git(agent, 'push', '--quiet', 'origin', 'main', ref);
    const before = await offer();
    deepStrictEqual([before?.ref, before?.remote, before?.folder, before?.isThere], [ref, 'origin', 'old', false]);
    strictEqual(await knownBranch(job, true), undefined);
    await before?.fetch();
    const known = await knownBranch(job, true);
    deepStrictEqual(
      [known?.base, known?.commit],
      [(await git(agent, 'rev-parse', 'main')).trim(), (await git(agent, 'rev-parse', ref)).trim()],
    );
    strictEqual(await offer(), undefined);
    strictEqual((await offer(Date.now() + 60_000))?.isThere, true);
    await git(agent, 'commit', '--quiet', '--amend', '--no-edit', '--date=2090-01-01T00:00:00Z');
    const future = await git(
      agent,
      '-c',
      'alias.x=!GIT_COMMITTER_DATE=2090-01-01T00:00:00Z git commit-tree -p HEAD -m x HEAD:',
      'x',
    );
    await git(agent, 'push', '--quiet', '--force', 'origin', `${future.trim()}:refs/heads/${ref}`);
    await before?.fetch();
    // Its date says nothing about when the agent made it.
    strictEqual((await offer(Date.now() - 60_000))?.isThere, true);
    await git(remote, 'update-ref', '-d', `refs/heads/${ref}`);
    await rejects((await offer(Date.now() + 60_000))?.fetch() ?? Promise.resolve());
  });
});
