import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  findAgentSettings,
  isAgentSettingsPath,
  restoreAgentSettings,
  withholdAgentSettings,
} from '../../../../src/local-service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** Names that APFS or HFS+ treat as those of settings: ligatures are letters, and some characters are ignored. */
const SETTINGS = [
  '.con\uFB01g/mise/config.toml',
  'a/.cla\u200Cude/settings.json',
  'bun\uFB01g.toml',
  '.i\uFB02ow/x.json',
];
/** Another system takes these for the folders that they are, and not for `.git` or `node_modules`. */
const INSIDE = ['.\uFF47it/.mcp.json', 'node_module\uFF53/.npmrc'];

describe('names of settings on a file system that equates more than upper and lower case', () => {
  let work = '';
  beforeEach(async () => {
    work = join(await temporaryFolder(), 'work');
    for (const path of [...SETTINGS, ...INSIDE, 'con\uFB01g.toml', '.claude/CLAUDE.md']) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await writeFile(join(work, path), 'x\n');
    }
  });

  it('are found, and so is what lies in folders that only look like others', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    assert.deepEqual(await findAgentSettings(work), [...SETTINGS, ...INSIDE].toSorted());
  });

  it('are withheld and restored under the name that they have', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const aside = join(dirname(work), 'aside');
    await withholdAgentSettings(work, aside, () => Promise.resolve([]));
    assert.deepEqual(await findAgentSettings(work), []);
    await restoreAgentSettings(work, aside);
    assert.equal(await readFile(join(work, 'bun\uFB01g.toml'), 'utf8'), 'x\n');
  });

  it('are protected from the agent’s edits', () => {
    const paths = [...SETTINGS, 'package\u200D.json', '.con\uFB01g'];
    assert.deepEqual(
      paths.filter((path) => !isAgentSettingsPath(path)),
      [],
    );
    assert.equal(isAgentSettingsPath('docs/con\uFB01g.toml'), false);
  });
});
