import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { wrapInSandbox } from '../../../../src/local-service/agents/sandbox';
import { KNOWN_AGENTS } from '../../../../src/local-service/agents/knownAgents';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** A fake `srt` that saves its settings file and runs the command after `--`. */
const SRT = `#!/bin/sh
test "$1" = --settings && test "$3" = -- || exit 98
cp "$2" settings-seen.json
shift 3
exec "$@"
`;

describe('the sandbox', function () {
  this.timeout(60_000);
  before(function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
  });

  const run = async (programs: string[], script = 'exec cat') => {
    const bin = await temporaryFolder();
    await Promise.all(programs.map((name) => writeFile(join(bin, name), SRT, { mode: 0o755 })));
    // Only the programs of this test and a shell, because the machine may have the real ones.
    for (const name of ['sh', 'cp', 'cat', 'test', 'ls']) {
      await writeFile(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${name} "$@"\n`, { mode: 0o755 });
    }
    const environment = { ...process.env, PATH: bin + delimiter, HOME: '/home/robin', TMPDIR: '/tmp' };
    const command = [join(bin, 'sh'), '-c', script];
    const given = await agentTask({ command, prompt: 'prompt', confine: true });
    await mkdir(join(given.task.directory, 'tmp'));
    await writeFile(join(given.task.directory, 'tmp/left'), '');
    await new CommandAgent(SUPERVISOR, environment).run(given.task);
    const said = given.entries.map((entry) => ('text' in entry ? `${entry.kind}: ${entry.text}` : ''));
    return { ...given, said };
  };

  it('runs the agent in the user’s `srt` with a settings file for the job', async () => {
    const { task, said } = await run(['srt', 'bwrap', 'socat', 'rg']);
    assert.deepEqual(said, ['message: prompt']);
    const seen = JSON.parse(await readFile(join(task.folder, 'settings-seen.json'), 'utf8')) as {
      network: { allowedDomains: string[] };
      filesystem: { allowWrite: string[]; denyRead: string[]; denyWrite: string[] };
    };
    assert.deepEqual(seen.filesystem.allowWrite, [task.folder, join(task.directory, 'tmp')]);
    const denied = ['.ssh', '.kube', '.npmrc', '.azure', '.docker/config.json', '.config/gcloud'];
    const data = join(task.directory, '..', '..');
    const own = ['key', 'service.db', 'service.db-wal'].map((name) => join(data, name));
    for (const path of [...denied.map((name) => `/home/robin/${name}`), ...own]) {
      assert.ok(seen.filesystem.denyRead.includes(path), path);
    }
    assert.deepEqual(seen.filesystem.denyWrite, []);
    assert.deepEqual(seen.network.allowedDomains, []);
  });

  it('denies every known agent write access to its own user settings', async () => {
    for (const { name, command, writes, settings = [] } of KNOWN_AGENTS) {
      assert.ok(settings.length > 0, name);
      const task = { ...(await agentTask({ confine: true })).task, command };
      const bin = await temporaryFolder();
      await Promise.all(
        ['srt', 'bwrap', 'socat', 'rg'].map((each) => writeFile(join(bin, each), SRT, { mode: 0o755 })),
      );
      const { command: run } = await wrapInSandbox(command, task, { PATH: bin, HOME: '/home/robin' });
      const given = JSON.parse(await readFile(run[2] ?? '', 'utf8')) as { filesystem: Record<string, string[]> };
      const inHome = (paths: readonly string[]) => paths.map((path) => `/home/robin/${path}`);
      assert.deepEqual(given.filesystem['denyWrite'], inHome(settings));
      assert.deepEqual(given.filesystem['allowWrite']?.slice(2), inHome(writes));
    }
  });

  it('denies the agent read access to the files with a worker’s secrets', async () => {
    const { task } = await agentTask({ confine: true });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((name) => writeFile(join(bin, name), SRT, { mode: 0o755 })));
    const files = { DOCS_AGENT_DATABASE_FILE: '/run/secrets/database', DOCS_AGENT_TOKENS_FILE: 'tokens' };
    const { command } = await wrapInSandbox(['agent'], task, { PATH: bin, ...files });
    const given = JSON.parse(await readFile(command[2] ?? '', 'utf8')) as { filesystem: { denyRead: string[] } };
    for (const path of ['/run/secrets/database', join(process.cwd(), 'tokens')]) {
      assert.ok(given.filesystem.denyRead.includes(path), path);
    }
  });

  it('denies the agent read access to damaged databases that were moved aside', async () => {
    const data = await temporaryFolder();
    const directory = join(data, 'jobs', 'j');
    await mkdir(directory, { recursive: true });
    const { task } = await agentTask({ confine: true, directory });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((name) => writeFile(join(bin, name), SRT, { mode: 0o755 })));
    const damaged = join(data, 'service.db.damaged-20260501T100000Z-wal');
    await writeFile(damaged, '');
    const { command } = await wrapInSandbox(['agent'], task, { PATH: bin });
    const given = JSON.parse(await readFile(command[2] ?? '', 'utf8')) as { filesystem: { denyRead: string[] } };
    assert.ok(given.filesystem.denyRead.includes(damaged));
  });

  it('gives the agent its own empty folder for temporary files', async () => {
    const { task, said } = await run(
      ['srt', 'bwrap', 'socat', 'rg'],
      'cat > "$TMPDIR/prompt"; echo "$TMPDIR"; ls "$TMPDIR"',
    );
    assert.deepEqual(said, [`message: ${join(task.directory, 'tmp')}\nprompt`]);
    assert.equal((await stat(join(task.directory, 'tmp'))).mode & 0o777, 0o700);
  });

  for (const [missing, programs] of [
    ['srt', ['bwrap', 'socat', 'rg']],
    ['bwrap', ['srt', 'socat', 'rg']],
  ] as const) {
    it(`runs the agent unconfined and adds a note when ${missing} is missing`, async () => {
      const { said } = await run([...programs]);
      assert.equal(said.length, 2);
      assert.ok(said[0]?.startsWith(`note: Not sandboxed: “${missing}” wasn’t found. Install it`));
      assert.equal(said[1], 'message: prompt');
    });
  }
});
