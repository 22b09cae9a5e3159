import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  findAgentSettings,
  restoreAgentSettings,
  withholdAgentSettings,
} from '../../../../src/local-service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { itOnUnix } from '../../../support/machine';

const SETTINGS = `
.aider.conf.yml .claude/agents/reviewer.md .claude/hooks/run.sh .claude/settings.json
.claude/settings.local.json .codex/config.toml .config/miserc.toml .cursor/mcp.json .env .envrc
.gemini/settings.json .github/copilot/settings.json .github/extensions/skills/extension.mjs .github/hooks/x.json
.mcp.json .miserc.toml .npmrc .opencode/plugin/x.ts .pnp.cjs .pnpmfile.cjs .prototools .tool-versions
.vscode/mcp.json .yarnrc deno.json global.json mise.local.toml mise/conf.d/a.toml nuget.config opencode.jsonc
package.json packages/a/.Claude/settings.json packages/a/.pnpmfile.mjs packages/a/.yarnrc.yml
packages/a/bunfig.toml packages/a/opencode.json`
  .trim()
  .split(/\s+/);
const PROSE = `
.claude/CLAUDE.md .claude/skills/write/SKILL.md .claude/skills/write/example.py .cursor/rules/style.mdc
.env.example .github/workflows/ci.yml .vscode/settings.json AGENTS.md GEMINI.md docs/claude/settings.json
node_modules/x/.mcp.json packages/a/deno.json packages/a/package.json pnpm-workspace.yaml`
  .trim()
  .split(/\s+/);

describe('handling of coding agent settings in a repository', () => {
  let work = '';
  let aside = '';

  beforeEach(async () => {
    const folder = await temporaryFolder();
    [work, aside] = [join(folder, 'work'), join(folder, 'aside')];
    await Promise.all([...SETTINGS, ...PROSE].map((path) => put(path, `# ${path}\n`)));
    await put('.claude/agents/reviewer.md', '---\nname: x\nhooks:\n  PreToolUse: []\n---\nReview.\n');
    await put('.claude/skills/write/SKILL.md', '---\nname: x\ndescription: About hooks\n---\nhooks: none\n');
  });

  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  };
  const withhold = async (...tracked: string[]) =>
    (await withholdAgentSettings(work, aside, () => Promise.resolve(tracked))).settings;
  const text = (path: string) => readFile(join(work, path), 'utf8');

  it('finds settings at any depth and skips prose', async () => {
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
  });

  for (const [file, content] of [
    ['.nvmrc', 'lts/jod\n'],
    ['.node-version', 'v22.1.0\r\n'],
    ['site/.python-version', '# Both are tested\n3.12.1\n3.11\n'],
    ['rust-toolchain.toml', '[toolchain]\nchannel = "1.95"\n'],
    ['.devcontainer/devcontainer.json', '{ "image": "node:24" }'],
  ] as const) {
    it(`keeps ${file} with plain contents`, async () => {
      await put(file, content);
      assert.deepEqual(await findAgentSettings(work), SETTINGS);
    });
  }

  for (const [file, content] of [
    ['.nvmrc', 'path:./evil\n'],
    ['.node-version', '22\n./evil'],
    ['site/.ruby-version', 'ref:main'],
    ['.Python-Version', '../evil'],
    ['.python-versions', './evil'],
    ['.nvmrc', `${'# x\n'.repeat(17_000)}path:./evil\n`],
    ['rust-toolchain.toml', '[toolchain]\npath = "./evil"\n'],
    ['.devcontainer/devcontainer.json', '{"customizations":{"vscode":{"mcp":{"servers":{}}}}}'],
    ['.corepack.env', 'COREPACK_NPM_REGISTRY=http://localhost:1\n'],
    ['.volta/hooks.json', '{"events":{"publish":{"bin":"./evil"}}}'],
    ['jbang-catalog.json', '{}'],
    ['.rbenv-vars', 'A=b'],
    ['.claude/commands/guide.md', 'Read the guide: !`id`\n'],
    ['.agents/skills/guide/SKILL.md', `${'x\n'.repeat(40_000)}!\`id\``],
  ] as const) {
    it(`withholds ${file} with ${content.slice(-60).trim()}`, async () => {
      await put(file, content);
      assert.deepEqual(await findAgentSettings(work), [...SETTINGS, file].toSorted());
    });
  }

  it('removes settings while they are withheld and restores them unchanged', async () => {
    assert.deepEqual(await withhold(), SETTINGS);
    assert.deepEqual(await findAgentSettings(work), []);
    assert.equal(await text('AGENTS.md'), '# AGENTS.md\n');
    await restoreAgentSettings(work, aside);
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
    assert.equal(await text('packages/a/opencode.json'), '# packages/a/opencode.json\n');
    await assert.rejects(lstat(aside), { code: 'ENOENT' });
  });

  it('treats node_modules folders tracked by git as settings, whatever their case, and no other folders', async () => {
    const tracked = ['node_modules', 'site/Node_Modules'];
    const paths = [...tracked.map((path) => `${path}/x/index.js`), 'mine/node_modules/x/index.js'];
    await Promise.all(paths.map((path) => put(path, '// Code\n')));
    const all = [...SETTINGS, ...tracked].toSorted();
    assert.deepEqual(await withhold('docs', 'site', 'NODE_MODULES', 'Site/Node_Modules', 'site/Node_Modules/x'), all);
    assert.deepEqual(await readdir(join(work, 'site')), []);
    assert.equal(await text('mine/node_modules/x/index.js'), '// Code\n');
    await restoreAgentSettings(work, aside);
    assert.equal(await text('site/Node_Modules/x/index.js'), '// Code\n');
    assert.equal(await text('node_modules/x/.mcp.json'), '# node_modules/x/.mcp.json\n');
    assert.deepEqual(await findAgentSettings(work, () => Promise.resolve(tracked)), all);
  });

  it('asks git for tracked folders only when there is a node_modules folder', async () => {
    await rm(join(work, 'node_modules'), { recursive: true });
    const asked = () => Promise.reject(new Error('asked'));
    assert.deepEqual((await withholdAgentSettings(work, aside, asked)).settings, SETTINGS);
  });

  it('does not overwrite files that were written in place of withheld settings', async () => {
    await withhold();
    await put('.mcp.json', 'new');
    await restoreAgentSettings(work, aside);
    assert.equal(await text('.mcp.json'), 'new');
  });

  itOnUnix('does not restore settings through a symlink planted in their path', async () => {
    const outside = await temporaryFolder();
    await withhold();
    await rm(join(work, '.claude'), { recursive: true });
    await symlink(outside, join(work, '.claude'));
    await restoreAgentSettings(work, aside);
    await assert.rejects(lstat(join(outside, 'settings.json')), { code: 'ENOENT' });
    assert.equal(await text('.mcp.json'), '# .mcp.json\n');
  });

  itOnUnix('finds a settings folder that is a symlink', async () => {
    await rm(join(work, '.claude'), { recursive: true });
    await symlink('docs', join(work, '.claude'));
    assert.ok((await findAgentSettings(work)).includes('.claude'));
  });

  it('treats pnpm-workspace.yaml as settings when it sets more than the location of the packages', async () => {
    await put('pnpm-workspace.yaml', 'packages:\n- docs\n  - "b"\n# c\n\ncatalog:\n  a: 1\n');
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
    for (const yaml of ['scriptShell: ./x', '{scriptShell: ./x}', '--- {scriptShell: ./x}', '"scriptShell": ./x']) {
      await put('pnpm-workspace.yaml', `packages: []\n${yaml}\n`);
      assert.ok((await findAgentSettings(work)).includes('pnpm-workspace.yaml'), yaml);
    }
    const wholes = [
      ' packages: []\n scriptShell: ./x\n',
      ' {packages: [], scriptShell: ./x}\n',
      '\uFEFFscriptShell: ./x\n',
      `packages: []\n${'# x\n'.repeat(17_000)}scriptShell: ./x\n`,
    ];
    for (const yaml of wholes) {
      await put('pnpm-workspace.yaml', yaml);
      assert.ok((await findAgentSettings(work)).includes('pnpm-workspace.yaml'), yaml.slice(0, 80));
    }
  });

  itOnUnix('withholds a link in place of mise’s settings', async () => {
    await put('docs/m/config.toml', '[tools]\nnode = "path:./evil"\n');
    await rm(join(work, 'mise'), { recursive: true });
    await symlink('docs/m', join(work, 'mise'));
    assert.ok((await findAgentSettings(work)).includes('mise'));
  });

  itOnUnix('withholds every symlink that points outside the repository and no other symlinks', async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'id_rsa'), 'secret');
    await mkdir(join(work, '.git'));
    const out: Record<string, string> = {
      'AGENTS.md': join(outside, 'id_rsa'),
      'docs/gone.md': '../../../gone',
      'docs/chain.md': '../AGENTS.md',
      'docs/deep': outside,
      'docs/git': '../.git',
      'docs/git2': 'git',
    };
    const inside = { 'CLAUDE.md': 'GEMINI.md', 'docs/up': '..', 'docs/later.md': 'new.md' };
    await rm(join(work, 'AGENTS.md'));
    for (const [path, target] of Object.entries({ ...out, ...inside })) {
      await symlink(target, join(work, path));
    }
    const { settings, links } = await withholdAgentSettings(work, aside, () => Promise.resolve([]));
    assert.deepEqual([settings, links], [SETTINGS, Object.keys(out).toSorted()]);
    for (const path of links) {
      await assert.rejects(lstat(join(work, path)), { code: 'ENOENT' });
    }
    await restoreAgentSettings(work, aside);
    for (const [path, target] of Object.entries({ ...out, ...inside })) {
      assert.equal(await readlink(join(work, path)), target);
    }
  });

  const PLAIN: Record<string, string> = {
    'no header': '# Write\n\nhooks: none\n',
    'a list': '- one\n- two\n',
    'a rule further down': '# Write\n\n---\nhooks: none\n---\n',
    'nothing at all': '',
    'a name and a description':
      '---\nname: write-docs\ndescription: Writes docs (short ones), "fast". Ünïcode, too!\n---\nhooks: none\n',
    'a header alone': '---\nname: x\n---',
    'Windows line ends': '\uFEFF---\r\nname: x\r\ndescription: y\r\n---\r\nText.\r\n',
    quotes: '---\nname: "x"\ndescription: \'About {this}: a & b\'\n---\nText.\n',
  };
  for (const [what, prose] of Object.entries(PLAIN)) {
    it(`does not treat prose with ${what} as settings`, async () => {
      await put('.claude/skills/write/SKILL.md', prose);
      assert.deepEqual(await findAgentSettings(work), SETTINGS);
    });
  }

  const HOOKS = 'hooks: {PreToolUse: []}';
  const HEADERS: Record<string, string> = {
    'a program': '---js\n{ description: run() }\n---\nText.\n',
    'a language after a space': '--- js\n{ description: run() }\n---\nText.\n',
    'a space after the fence': `--- \n${HOOKS}\n---\n`,
    'an empty line first': `\n---\n${HOOKS}\n---\n`,
    'an invisible character first': `\u0085\u200B---\n${HOOKS}\n---\n`,
    'a long gap first': `${' '.repeat(70_000)}\n---\n${HOOKS}\n---\n`,
    'a flow mapping': `---\n{name: x, ${HOOKS}}\n---\n`,
    'a flow mapping as a value': `---\nname: {${HOOKS}}\n---\n`,
    'an escape in a key': '---\nname: x\n"ho\\x6fks": {}\n---\n',
    'an explicit key': '---\n? hooks\n: {}\n---\n',
    'a tagged key': '---\n!!str hooks: {}\n---\n',
    'a tagged value': '---\nname: !!js/function "x"\n---\n',
    'an anchor': '---\nname: &a x\n---\n',
    'a merge': '---\n<<: *a\n---\n',
    'an unknown key': '---\nname: x\nmodel: y\n---\n',
    'a key after a carriage return': `---\nname: x\r${HOOKS}\n---\n`,
    'a key after a line separator': `---\nname: x\u2028${HOOKS}\n---\n`,
    'a block': `---\ndescription: |\n  x\n${HOOKS}\n---\n`,
    'no end': '---\nname: x\n',
    'nothing in it': `---\n---\n${HOOKS}\n---\n`,
    'mixed line ends': `---\nname: x\n---\r\n${HOOKS}\n---\n`,
    'other fences': `= yaml =\n${HOOKS}\n= yaml =\n`,
    'TOML fences': '+++\nhooks = []\n+++\n',
    'too much in it': `---\n${'name: x\n'.repeat(10_000)}---\n`,
  };
  for (const [what, prose] of Object.entries(HEADERS)) {
    it(`treats prose as settings when its header has ${what}`, async () => {
      await put('.opencode/agent/writer.md', prose);
      assert.ok((await findAgentSettings(work)).includes('.opencode/agent/writer.md'));
    });
  }

  it('treats prose in an encoding that only some agents read as settings', async () => {
    const text = Buffer.from(`\uFEFF---\n${HOOKS}\n---\n`, 'utf16le');
    await writeFile(join(work, '.claude/CLAUDE.md'), text);
    assert.ok((await findAgentSettings(work)).includes('.claude/CLAUDE.md'));
    await put('.claude/CLAUDE.md', `x${'ä'.repeat(40_000)}`);
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
  });

  it('finds settings in Copilot skills and in skill folders named node_modules', async () => {
    const paths = ['.claude/skills/node_modules/SKILL.md', '.github/skills/x/SKILL.md'];
    await Promise.all(paths.map((path) => put(path, '---\nname: x\nallowed-tools: shell\n---\n')));
    assert.deepEqual(await findAgentSettings(work), [...SETTINGS, ...paths].toSorted());
  });

  itOnUnix('finds a settings folder that is a symlink to the parent of the actual settings', async () => {
    await put('gh/hooks/a.json', '{}');
    await mkdir(join(work, 'site'));
    const links = ['site/.GitHub', 'site/.vscode', 'site/node_modules'];
    await Promise.all(links.map((path) => symlink('../gh', join(work, path))));
    const all = [...SETTINGS, ...links].toSorted();
    assert.deepEqual(await withhold(), all);
    await assert.rejects(lstat(join(work, 'site/.GitHub')), { code: 'ENOENT' });
    await restoreAgentSettings(work, aside);
    assert.deepEqual(await findAgentSettings(work), all);
  });

  itOnUnix('withholds symlinks and special files in settings folders without opening them', async () => {
    await put('docs/SKILL.md', `---\n${HOOKS}\n---\n`);
    const links = ['.claude/folder.md', '.claude/page.md', '.claude/gone.md', '.claude/skills/linked'];
    const targets = ['../docs', '../docs/SKILL.md', '../gone', '../../docs'];
    await Promise.all(links.map((path, index) => symlink(targets[index]!, join(work, path))));
    await promisify(execFile)('mkfifo', [join(work, '.claude/pipe.md')]);
    const all = [...SETTINGS, ...links, '.claude/pipe.md'].toSorted();
    assert.deepEqual(await withhold(), all);
    await restoreAgentSettings(work, aside);
    assert.deepEqual(await findAgentSettings(work), all);
  });

  describe('in hard-to-reach places', () => {
    before(function () {
      // Other systems reject such names.
      if (process.platform !== 'linux') {
        this.skip();
      }
    });
    const bytes = (path: string) => Buffer.from(join(work, path), 'latin1');
    const putBytes = async (path: string, text: string): Promise<void> => {
      await mkdir(bytes(dirname(path)), { recursive: true });
      await writeFile(bytes(path), text);
    };

    it('withholds and restores files whose names are not valid UTF-8', async () => {
      const [skill, honest] = ['.agents/skills/\xff/SKILL.md', '.claude/caf\xe9.json'];
      await putBytes(skill, `---\n${HOOKS}\n---\n`);
      await putBytes(honest, '{}');
      const all = [...SETTINGS, '.agents/skills/\uFFFD/SKILL.md', '.claude/caf\uFFFD.json'].toSorted();
      assert.deepEqual(await withhold(), all);
      for (const path of [skill, honest]) {
        await assert.rejects(lstat(bytes(path)), { code: 'ENOENT' });
      }
      await restoreAgentSettings(work, aside);
      assert.deepEqual(await findAgentSettings(work), all);
      assert.equal(await readFile(bytes(honest), 'utf8'), '{}');
    });

    it('withholds and restores settings in folders whose permissions were removed', async function () {
      if (process.getuid?.() === 0) {
        this.skip();
      }
      const lock = async (...folders: [string, number][]) => {
        for (const [folder, mode] of folders) {
          await chmod(join(work, folder), mode);
        }
      };
      await lock(['.claude/hooks', 0o100], ['packages', 0o100], ['.claude', 0o500], ['.', 0o400]);
      assert.deepEqual(await withhold(), SETTINGS);
      await lock(['.claude', 0o500], ['.', 0o400]);
      await restoreAgentSettings(work, aside);
      assert.deepEqual(await findAgentSettings(work), SETTINGS);
    });

    it('withholds everything that is nested too deep to inspect', async () => {
      await put('deep/opencode.json', '{}');
      // The full path is too long for the system; only relative paths reach this deep.
      const step = 'x'.repeat(200);
      const packages = `deep/${`${step}/`.repeat(4)}node_modules`;
      await put(`${packages}/x.js`, '');
      const script = `cd "$0/deep" && for i in $(seq 25); do mkdir -p ${step} && cd ${step} || exit 1; done`;
      await promisify(execFile)('bash', ['-c', script, work]);
      const found = await withhold(packages);
      const deep = (path: string): boolean => path.startsWith(`deep/${step}`);
      assert.equal(found.length, SETTINGS.length + 2);
      assert.ok(found.some(deep));
      await restoreAgentSettings(work, aside);
      // The log must not say that the agent wrote these as settings.
      assert.deepEqual(
        await findAgentSettings(work),
        found.filter((path) => !deep(path)),
      );
      await promisify(execFile)('rm', ['-r', join(work, 'deep')]);
    });

    it('does not restore settings through a symlink that replaced the whole folder', async () => {
      const outside = await temporaryFolder();
      await withhold();
      await rm(work, { recursive: true });
      await symlink(outside, work);
      await restoreAgentSettings(work, aside);
      assert.deepEqual(await readdir(outside), []);
    });
  });

  it('treats unreadable prose as settings', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) {
      this.skip();
    }
    await chmod(join(work, '.claude/CLAUDE.md'), 0);
    assert.ok((await findAgentSettings(work)).includes('.claude/CLAUDE.md'));
  });
});
