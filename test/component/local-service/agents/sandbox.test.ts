import assert from 'node:assert/strict';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
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

  /** What the settings file says about the files of an agent that runs with this home folder. */
  const filesOf = async (command: readonly string[], home: string) => {
    const task = { ...(await agentTask({ confine: true })).task, command };
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((each) => writeFile(join(bin, each), SRT, { mode: 0o755 })));
    const { command: run } = await wrapInSandbox(command, task, { PATH: bin, HOME: home });
    const given = JSON.parse(await readFile(run[2] ?? '', 'utf8')) as { filesystem: Record<string, string[]> };
    const inHome = (paths: string[] = []) => paths.flatMap((path) => path.split(`${home}/`)[1] ?? []);
    return { allowed: inHome(given.filesystem['allowWrite']), denied: inHome(given.filesystem['denyWrite']) };
  };

  it('denies every known agent write access to its settings and to programs that run later, even if they are missing', async () => {
    const programs: Record<string, [folder: string, ...denied: string[]]> = {
      claude: ['.claude', '.claude/settings.json', '.claude/hooks', '.claude/local'],
      codex: ['.codex', '.codex/config.toml', '.codex/.env', '.codex/packages', '.codex/plugins'],
      gemini: ['.gemini', '.gemini/settings.json', '.gemini/extensions', '.gemini/tmp/bin'],
      opencode: ['.cache/opencode', '.cache/opencode/bin', '.cache/opencode/packages', '.local/share/opencode/bin'],
      copilot: ['.copilot', '.copilot/mcp-config.json', '.copilot/config.json', '.copilot/pkg'],
      cursor: ['.cursor', '.cursor/mcp.json', '.cursor/hooks.json', '.cursor/extensions'],
      goose: ['.config/goose', '.config/goose/config.yaml', '.config/goose/recipes'],
    };
    for (const { name, command } of KNOWN_AGENTS) {
      const [folder = '', ...expected] = programs[name] ?? [];
      const home = await temporaryFolder();
      const { allowed, denied } = await filesOf(command, home);
      assert.ok(allowed.includes(folder), name);
      assert.deepEqual(
        expected.filter((path) => !denied.includes(path)),
        [],
        name,
      );
      // The sandbox leaves out a folder that is missing.
      assert.ok((await stat(join(home, folder))).isDirectory());
    }
  });

  it('lets an agent change what it keeps, but nothing else that it finds in its folders', async () => {
    const home = await temporaryFolder();
    for (const folder of ['.claude/projects/docs', '.claude/scripts', '.gemini/tmp/docs']) {
      await mkdir(join(home, folder), { recursive: true });
    }
    for (const file of ['.claude/statusline.py', '.claude/.credentials.json', '.claude/history.jsonl']) {
      await writeFile(join(home, file), '');
    }
    await symlink('/usr/bin/true', join(home, '.claude/linked.json'));
    await writeFile(join(home, '.gemini/trustedFolders.json'), '{}');
    await writeFile(join(home, '.gemini/oauth_creds.json'), '{}');
    const claude = (await filesOf(['claude-agent-acp'], home)).denied;
    for (const name of ['scripts', 'statusline.py', 'linked.json']) {
      assert.ok(claude.includes(`.claude/${name}`), name);
    }
    for (const name of ['projects', '.credentials.json', 'history.jsonl']) {
      assert.ok(!claude.includes(`.claude/${name}`), name);
    }
    const gemini = (await filesOf(['gemini'], home)).denied;
    assert.ok(gemini.includes('.gemini/trustedFolders.json'));
    assert.ok(!gemini.some((path) => /tmp$|docs|oauth/.test(path)), String(gemini));
  });

  it('denies the agent read access to an unfinished key, and to the files with a worker’s secrets', async () => {
    const { task } = await agentTask({ confine: true });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((name) => writeFile(join(bin, name), SRT, { mode: 0o755 })));
    const left = join(task.directory, '..', '..', 'key.4711.new');
    await writeFile(left, '');
    const files = { DOCS_AGENT_DATABASE_FILE: '/run/secrets/database', DOCS_AGENT_TOKENS_FILE: 'tokens' };
    const { command } = await wrapInSandbox(['agent'], task, { PATH: bin, ...files });
    const given = JSON.parse(await readFile(command[2] ?? '', 'utf8')) as { filesystem: { denyRead: string[] } };
    for (const path of ['/run/secrets/database', join(process.cwd(), 'tokens'), left]) {
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
