import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  findAgentSettings,
  giveBackAgentSettings,
  withholdAgentSettings,
} from '../../../../src/service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';

const SETTINGS = [
  '.aider.conf.yml',
  '.claude/agents/reviewer.md',
  '.claude/hooks/run.sh',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/config.toml',
  '.cursor/mcp.json',
  '.env',
  '.gemini/settings.json',
  '.github/copilot/settings.json',
  '.github/hooks/x.json',
  '.mcp.json',
  '.opencode/plugin/x.ts',
  '.vscode/mcp.json',
  'opencode.jsonc',
  'packages/a/.Claude/settings.json',
  'packages/a/opencode.json',
];
const PROSE = [
  '.claude/CLAUDE.md',
  '.claude/skills/write/SKILL.md',
  '.claude/skills/write/example.py',
  '.cursor/rules/style.mdc',
  '.env.example',
  '.github/workflows/ci.yml',
  '.vscode/settings.json',
  'AGENTS.md',
  'GEMINI.md',
  'docs/claude/settings.json',
  'node_modules/x/.mcp.json',
];

describe('settings of coding agents in a repository', () => {
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
  const text = (path: string) => readFile(join(work, path), 'utf8');

  it('are found at any depth, and prose is none', async () => {
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
  });

  it('are gone while they are withheld, and are as before when they are given back', async () => {
    assert.deepEqual(await withholdAgentSettings(work, aside), SETTINGS);
    assert.deepEqual(await findAgentSettings(work), []);
    assert.equal(await text('AGENTS.md'), '# AGENTS.md\n');
    await giveBackAgentSettings(work, aside);
    assert.deepEqual(await findAgentSettings(work), SETTINGS);
    assert.equal(await text('packages/a/opencode.json'), '# packages/a/opencode.json\n');
    await assert.rejects(lstat(aside), { code: 'ENOENT' });
  });

  it('do not replace what was written in their place meanwhile', async () => {
    await withholdAgentSettings(work, aside);
    await put('.mcp.json', 'new');
    await giveBackAgentSettings(work, aside);
    assert.equal(await text('.mcp.json'), 'new');
  });

  it('are not given back through a link that was put in the way', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const outside = await temporaryFolder();
    await withholdAgentSettings(work, aside);
    await rm(join(work, '.claude'), { recursive: true });
    await symlink(outside, join(work, '.claude'));
    await giveBackAgentSettings(work, aside);
    await assert.rejects(lstat(join(outside, 'settings.json')), { code: 'ENOENT' });
    assert.equal(await text('.mcp.json'), '# .mcp.json\n');
  });

  it('are found where their folder is a link', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    await rm(join(work, '.claude'), { recursive: true });
    await symlink('docs', join(work, '.claude'));
    assert.ok((await findAgentSettings(work)).includes('.claude'));
  });
});
