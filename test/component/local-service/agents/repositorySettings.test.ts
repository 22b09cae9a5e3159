import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { KNOWN_AGENTS } from '../../../../src/local-service/agents/knownAgents';
import {
  findAgentSettings,
  isAgentSettingsPath,
  restoreAgentSettings,
  withholdAgentSettings,
} from '../../../../src/local-service/agents/repositorySettings';
import { itOnLinux, itOnUnix } from '../../../support/machine';
import { temporaryFolder } from '../../../support/temporaryRepository';

const OTHERS = [
  ...['.clauded/a.md', '.env.example', '.github/workflows/ci.yml', '.vscode/settings.json', 'AGENTS.md', 'CLAUDE.md'],
  ...['docs/claude/settings.json', 'docs/a.mcp.json', 'node_modules/x/.mcp.json', 'package.json'],
];

describe('settings of coding agents in a repository', () => {
  let work = '';
  let aside = '';

  beforeEach(async () => {
    const folder = await temporaryFolder();
    [work, aside] = [join(folder, 'work'), join(folder, 'aside')];
    await Promise.all(OTHERS.map((path) => put(path, `# ${path}\n`)));
  });

  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  };
  const withhold = async () => (await withholdAgentSettings(work, aside)).settings;
  const text = (path: string) => readFile(join(work, path), 'utf8');
  const paths = async () => (await readdir(work, { recursive: true })).toSorted();

  for (const { name, settings } of [...KNOWN_AGENTS, { name: 'others', settings: ['.agents/'] }]) {
    it(`are withheld as whole files and folders, in any folder and any case, and given back: ${name}`, async () => {
      const found = ['', 'packages/a/', 'Site/'].flatMap((folder) =>
        settings.map((path) => folder + (folder === 'Site/' ? path.toUpperCase() : path)),
      );
      assert.ok(found.length > 0);
      const files = found.map((path) => (path.endsWith('/') ? `${path}skills/x/SKILL.md` : path));
      await Promise.all(files.map((path) => put(path, 'x\n')));
      const before = await paths();
      const names = found.map((path) => path.replace(/\/$/, '')).toSorted();
      assert.deepEqual(await withhold(), names);
      assert.deepEqual(
        (await paths()).filter((path) => names.some((each) => `${path}/`.startsWith(`${each}/`))),
        [],
      );
      assert.equal(await text('AGENTS.md'), '# AGENTS.md\n');
      await restoreAgentSettings(work, aside);
      assert.deepEqual(await paths(), before);
      await assert.rejects(lstat(aside), { code: 'ENOENT' });
      assert.deepEqual(
        [...files, ...names].filter((path) => !isAgentSettingsPath(path)),
        [],
      );
    });
  }

  it('are nothing else', async () => {
    assert.deepEqual(await findAgentSettings(work), []);
    assert.deepEqual(OTHERS.slice(0, -2).filter(isAgentSettingsPath), []);
    // A folder of settings could be moved there with it.
    assert.equal(isAgentSettingsPath('site/.github'), true);
  });

  it('do not replace what the agent has written in their place, and are given back beside it', async () => {
    await Promise.all(
      ['.mcp.json', '.claude/settings.json', '.claude/CLAUDE.md', '.cursor/a'].map((path) => put(path, 'old')),
    );
    await withhold();
    await Promise.all(['.mcp.json', '.claude/settings.json', '.cursor'].map((path) => put(path, 'new')));
    await restoreAgentSettings(work, aside);
    const now = await Promise.all(['.mcp.json', '.claude/settings.json', '.claude/CLAUDE.md', '.cursor'].map(text));
    assert.deepEqual(now, ['new', 'new', 'old', 'new']);
  });

  itOnUnix('are not given back through a link that the agent has put in their path', async () => {
    const outside = await temporaryFolder();
    await Promise.all(['.claude/settings.json', '.mcp.json'].map((path) => put(path, 'x')));
    await withhold();
    await symlink(outside, join(work, '.claude'));
    await restoreAgentSettings(work, aside);
    assert.equal(await text('.mcp.json'), 'x');
    await withhold();
    await rm(work, { recursive: true });
    await symlink(outside, work);
    await restoreAgentSettings(work, aside);
    assert.deepEqual(await readdir(outside), []);
  });

  itOnUnix('include a link in the place of a folder that contains or may contain them', async () => {
    await put('docs/x/hooks/a.json', '{}');
    await mkdir(join(work, 'site'));
    const links = ['.claude', 'site/.GitHub'];
    await Promise.all(links.map((path) => symlink(path === '.claude' ? 'docs/x' : '../docs/x', join(work, path))));
    assert.deepEqual(await withhold(), links);
    await restoreAgentSettings(work, aside);
    assert.deepEqual(await findAgentSettings(work), links);
  });

  itOnUnix('are withheld along with every link that leads out of the repository, and no other link', async () => {
    const outside = await temporaryFolder();
    await mkdir(join(work, '.git'));
    const out: Record<string, string> = {
      'docs/chain.md': '../LINK.md',
      'docs/deep': outside,
      'docs/git': '../.git',
      'docs/git2': 'git',
      'docs/gone.md': '../../../gone',
      'LINK.md': join(outside, 'id_rsa'),
    };
    await writeFile(join(outside, 'id_rsa'), 'secret');
    const inside = { 'GEMINI.md': 'CLAUDE.md', 'docs/later.md': 'new.md', 'docs/up': '..' };
    for (const [path, target] of Object.entries({ ...out, ...inside })) {
      await symlink(target, join(work, path));
    }
    const { settings, links } = await withholdAgentSettings(work, aside);
    assert.deepEqual([settings, links], [[], Object.keys(out).toSorted()]);
    for (const path of links) {
      await assert.rejects(lstat(join(work, path)), { code: 'ENOENT' });
    }
    await restoreAgentSettings(work, aside);
    for (const [path, target] of Object.entries({ ...out, ...inside })) {
      assert.equal(await readlink(join(work, path)), target);
    }
  });

  itOnLinux('are given back under names that are not UTF-8', async () => {
    const bytes = Buffer.from(join(work, '.claude/caf\xe9.json'), 'latin1');
    await put('.claude/CLAUDE.md', 'x');
    await writeFile(bytes, '{}');
    await withhold();
    await put('.claude/new.md', 'x');
    await restoreAgentSettings(work, aside);
    assert.equal(await readFile(bytes, 'utf8'), '{}');
  });

  it('are searched for without blocking the service', async () => {
    let time = 0;
    mock.method(performance, 'now', () => (time += 1_000));
    const pauses = mock.method(globalThis, 'setImmediate');
    await findAgentSettings(work);
    mock.restoreAll();
    assert.ok(pauses.mock.callCount() >= OTHERS.length, String(pauses.mock.callCount()));
  });
});
