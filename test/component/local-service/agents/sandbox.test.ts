import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AGENT_FOLDERS } from '../../../../src/local-service/agents/agentFolders';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { wrapInSandbox } from '../../../../src/local-service/agents/sandbox';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { toEnglish } from '../../../../src/local-service/codedText';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** A fake `srt` that saves its settings file and runs the command after `--`. */
const SRT = `#!/bin/sh
test "$1" = --settings || exit 98
cp "$2" "\${2%/*}/settings-seen.json"
while test "$1" != --; do shift; done
shift
PATH="$PATH:/usr/bin:/bin"
exec "$@"
`;

describe('the sandbox', function () {
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
    const given = await agentTask({
      command,
      prompt: 'prompt',
      mayRunCommands: true,
      confine: programs.length === 0 ? 'off' : 'require',
    });
    await new CommandAgent(SUPERVISOR, environment).run(given.task);
    const said = given.entries.map((entry) => ('text' in entry ? `${entry.kind}: ${entry.text}` : ''));
    return { ...given, said };
  };

  it('runs the agent in the user’s `srt` with a settings file for the job', async () => {
    const { task, said } = await run(['srt', 'bwrap', 'socat', 'rg']);
    assert.deepEqual(said, ['message: prompt']);
    const seen = JSON.parse(await readFile(join(task.directory, 'settings-seen.json'), 'utf8')) as {
      network: { allowedDomains: string[] };
      filesystem: { allowWrite: string[]; denyRead: string[]; denyWrite: string[] };
    };
    assert.deepEqual(seen.filesystem.allowWrite, [
      task.folder,
      seen.filesystem.allowWrite[1],
      join(task.directory, 'agent'),
    ]);
    const denied = [
      '.config/git/credentials',
      '.ssh',
      '.kube',
      '.npmrc',
      '.azure',
      '.docker/config.json',
      '.config/gcloud',
    ];
    const data = join(task.directory, '..', '..');
    const own = ['key', 'service.db', 'service.db-wal'].map((name) => join(data, name));
    for (const path of [...denied.map((name) => `/home/robin/${name}`), ...own]) {
      assert.ok(seen.filesystem.denyRead.includes(path), path);
    }
    assert.deepEqual(seen.filesystem.denyWrite, []);
    assert.deepEqual(seen.network.allowedDomains, []);
  });

  /** What the settings file says about the files of an agent that runs with this home folder. */
  const filesOf = async (command: readonly string[], home: string, folder?: string) => {
    const task = { ...(await agentTask({ confine: 'require', ...(folder && { folder }) })).task, command };
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((each) => writeFile(join(bin, each), SRT, { mode: 0o755 })));
    const { command: run } = await wrapInSandbox(command, task, join(task.directory, 'tmp'), { PATH: bin, HOME: home });
    const given = JSON.parse(await readFile(run[2] ?? '', 'utf8')) as { filesystem: Record<string, string[]> };
    const inHome = (paths: string[] = []) => paths.flatMap((path) => path.split(`${home}/`)[1] ?? []);
    return { allowed: inHome(given.filesystem['allowWrite']), denied: inHome(given.filesystem['denyWrite']) };
  };

  it('lets a known agent write what is listed for it and nothing else in its folders, even in those still missing', async () => {
    const home = await temporaryFolder();
    const { allowed, denied } = await filesOf(['opencode'], home);
    const { writes, readOnly = [] } = AGENT_FOLDERS.opencode;
    const plain = (paths: readonly string[]) => paths.map((path) => path.replace(/\/$/, ''));
    assert.deepEqual([allowed, denied], [plain(writes), plain(readOnly)]);
    // The sandbox ignores rules for a missing folder.
    assert.ok((await stat(join(home, '.local/share/opencode/storage/permission'))).isDirectory());
  });

  it('lets Claude Code write the conversations of the job’s folder and not the memory of other folders', async () => {
    const home = await temporaryFolder();
    const folder = join(await temporaryFolder(), 'Müller_1.x');
    await mkdir(folder);
    const { allowed } = await filesOf(['claude-agent-acp'], home, folder);
    const own = `.claude/projects/${(await realpath(folder)).replace(/[^a-zA-Z0-9]/g, '-')}`;
    assert.deepEqual(
      allowed.filter((path) => path.startsWith('.claude/projects')),
      [own],
    );
    assert.ok(own.endsWith('-M-ller-1-x') && (await stat(join(home, own))).isDirectory());
  });

  it('gives an agent that must create files next to its settings a folder of links to them', async () => {
    const home = await temporaryFolder();
    await Promise.all(
      ['history', 'tmp/docs/memory'].map((name) => mkdir(join(home, '.gemini', name), { recursive: true })),
    );
    await writeFile(join(home, '.gemini/settings.json'), '{}');
    const { task } = await agentTask({ confine: 'require' });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((each) => writeFile(join(bin, each), SRT, { mode: 0o755 })));
    const { command } = await wrapInSandbox(['gemini'], { ...task, command: ['gemini'] }, join(task.directory, 'tmp'), {
      PATH: bin,
      HOME: home,
    });
    const linked = join(task.directory, 'tmp/home');
    assert.ok(command.includes(`GEMINI_CLI_HOME=${linked}`));
    assert.equal(await readlink(join(linked, '.gemini/settings.json')), join(home, '.gemini/settings.json'));
    assert.deepEqual((await readdir(join(linked, '.gemini'))).sort(), ['settings.json', 'tmp']);
    // Its memory of other folders is there, which it reads at each start.
    assert.deepEqual(await readdir(join(linked, '.gemini/tmp')), []);
    assert.equal(await readlink(join(linked, '.gemini/tmp')), join(task.directory, 'agent/tmp'));
  });

  it('keeps files that an agent must write but that could start programs later in the job’s folder', async () => {
    const { task } = await agentTask({ confine: 'require' });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((each) => writeFile(join(bin, each), SRT, { mode: 0o755 })));
    const command = ['opencode', 'acp'];
    const home = await temporaryFolder();
    const wrapped = await wrapInSandbox(command, { ...task, command }, join(task.directory, 'tmp'), {
      PATH: bin,
      HOME: home,
    });
    // opencode fails without this file.
    assert.equal(await readFile(join(home, '.config/opencode/.gitignore'), 'utf8'), '');
    const state = join(task.directory, 'agent');
    assert.ok(wrapped.command.includes(`OPENCODE_DB=${join(state, 'opencode.db')}`));
    const given = JSON.parse(await readFile(wrapped.command[2] ?? '', 'utf8')) as {
      filesystem: { allowWrite: string[] };
    };
    assert.ok(given.filesystem.allowWrite.includes(state));
  });

  it('denies the agent read access to unfinished keys, damaged databases and the files with a worker’s secrets', async () => {
    const data = await temporaryFolder();
    const directory = join(data, 'jobs', 'j');
    await mkdir(directory, { recursive: true });
    const { task } = await agentTask({ confine: 'require', directory });
    const bin = await temporaryFolder();
    await Promise.all(['srt', 'bwrap', 'socat', 'rg'].map((name) => writeFile(join(bin, name), SRT, { mode: 0o755 })));
    const left = ['key.4711.new', 'service.db.damaged-20260501T100000Z-wal'].map((name) => join(data, name));
    await Promise.all(left.map((path) => writeFile(path, '')));
    const files = { DOCS_AGENT_DATABASE_FILE: '/run/secrets/database', DOCS_AGENT_TOKENS_FILE: 'tokens' };
    const { command } = await wrapInSandbox(['agent'], task, join(task.directory, 'tmp'), { PATH: bin, ...files });
    const given = JSON.parse(await readFile(command[2] ?? '', 'utf8')) as { filesystem: { denyRead: string[] } };
    for (const path of ['/run/secrets/database', join(process.cwd(), 'tokens'), ...left]) {
      assert.ok(given.filesystem.denyRead.includes(path), path);
    }
  });

  for (const programs of [[], ['srt', 'bwrap', 'socat', 'rg']]) {
    it(`gives the agent an empty folder for temporary files, and removes it (${programs.length} programs)`, async () => {
      const script = 'ls -A "$TMPDIR"; cat > "$TMPDIR/prompt"; chmod 500 "$TMPDIR"; echo "$TMPDIR"';
      const { said } = await run(programs, script);
      const [, folder = ''] = /^message: (\/.+\/docs-agent-\w+)$/.exec(said.at(-1) ?? '') ?? [];
      assert.notEqual(folder, '', said.join());
      assert.equal(existsSync(folder), false);
    });
  }

  const ALL = ['srt', 'bwrap', 'socat', 'rg'];
  const without = (name: string) => ALL.filter((each) => each !== name);
  const DOUBTS: [string, Partial<AgentTask>, string[], NodeJS.ProcessEnv, string | undefined][] = [
    [
      'srt is missing',
      { command: ['codex-acp'] },
      without('srt'),
      {},
      '“srt” isn’t installed. Run “npm install --global @',
    ],
    [
      'a package is missing',
      { command: ['codex-acp'] },
      without('rg'),
      {},
      '“srt” needs these packages, too: ripgrep.',
    ],
    [
      'srt can’t start',
      { command: ['codex-acp'] },
      ALL,
      { SRT: 'exit 1' },
      '“srt” can’t start: bwrap: No permissions to',
    ],
    [
      'a program is unknown',
      { command: ['/bin/aider'] },
      ALL,
      {},
      '“aider” wasn’t tested in the sandbox. To use it there, name a host',
    ],
    ['an unknown program lacks srt, too', { command: ['aider'] }, [], {}, '“aider” wasn’t tested in the sandbox.'],
    ['an unknown program has hosts', { command: ['aider'], allowedHosts: ['a.example'] }, ALL, {}, undefined],
    [
      'a host has no dot',
      { command: ['claude-agent-acp'] },
      ALL,
      { ANTHROPIC_BASE_URL: 'http://llm:4000' },
      'can’t allow the host “llm”',
    ],
    ['its own sandbox hangs in it', { command: ['codex-acp'] }, ALL, {}, 'Codex has its own sandbox.'],
    [
      'its own sandbox doesn’t',
      { command: ['codex-acp'] },
      ALL,
      { CODEX: '[features]\nuse_legacy_landlock = true\n' },
      undefined,
    ],
    [
      'a key may be in the keyring',
      { command: ['copilot'] },
      ALL,
      { DBUS_SESSION_BUS_ADDRESS: 'x' },
      'GitHub Copilot CLI may',
    ],
    [
      'the key is given',
      { command: ['copilot'] },
      ALL,
      { DBUS_SESSION_BUS_ADDRESS: 'x', COPILOT_GITHUB_TOKEN: 'y' },
      undefined,
    ],
  ];
  for (const [when, given, programs, environment, why] of DOUBTS) {
    it(`${why === undefined ? 'is used' : 'is not used, and the job says why,'} when ${when}`, async () => {
      const bin = await temporaryFolder();
      const script =
        environment['SRT'] === undefined ? SRT : '#!/bin/sh\necho "bwrap: No permissions to create" >&2\nexit 1\n';
      await Promise.all(programs.map((name) => writeFile(join(bin, name), script, { mode: 0o755 })));
      const task = { ...(await agentTask({ confine: 'auto' })).task, ...given };
      const home = await temporaryFolder();
      await mkdir(join(home, '.codex'));
      await writeFile(join(home, '.codex/config.toml'), environment['CODEX'] ?? '');
      const wrap = (confine: AgentTask['confine']) =>
        wrapInSandbox(
          task.command,
          { ...task, confine },
          join(task.directory, 'tmp'),
          { PATH: bin, HOME: home },
          environment,
        );
      const { command, note } = await wrap('auto');
      assert.equal(command[0], why === undefined ? join(bin, 'srt') : task.command[0]);
      assert.equal(note && toEnglish(note).startsWith('The agent runs without a sandbox. '), why && true);
      assert.ok(why === undefined || toEnglish(note!).includes(why), note && toEnglish(note));
      // What may work is tried if the sandbox is required.
      const isTried = why === undefined || /tested|keyring|may/.test(why);
      if (!isTried || programs.length === 0) {
        const named = isTried ? 'isn’t installed' : why;
        await assert.rejects(wrap('require'), (error: Error) => error.message.includes(named));
      } else {
        assert.equal((await wrap('require')).command[0], join(bin, 'srt'));
      }
    });
  }
});
