import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { renamePackageFields, restorePackageFields } from '../../../../src/local-service/agents/packagePrograms';
import {
  findAgentSettings,
  isAgentSettingsPath,
  restoreAgentSettings,
  withholdAgentSettings,
} from '../../../../src/local-service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { isPlainProse } from '../../../../src/local-service/agents/harmlessText';
import { mock } from 'node:test';
import { itOnLinux, itOnUnix } from '../../../support/machine';

describe('programs named in package.json', () => {
  let work = '';
  beforeEach(async () => {
    work = join(await temporaryFolder(), 'work');
    await mkdir(work);
  });
  const put = (text: string | Buffer) => writeFile(join(work, 'package.json'), text, { mode: 0o755 });
  const bytes = () => readFile(join(work, 'package.json'));

  const FIELDS: [string, string][] = [
    ['{"name":"mcp-remote","bin":"e.js"}', '{"name":"mcp-remote","//docs-agent:bin":"e.js"}'],
    ['{"directories" :\n{"bin":"x"}}', '{"//docs-agent:directories" :\n{"//docs-agent:bin":"x"}}'],
    ['\uFEFF{\r\n"workspaces":["ä"]}', '\uFEFF{\r\n"//docs-agent:workspaces":["ä"]}'],
  ];
  for (const [text, renamed] of FIELDS) {
    it(`are hidden by renaming the field and restored unchanged: ${JSON.stringify(text)}`, async () => {
      await put(text);
      const before = await lstat(join(work, 'package.json'));
      assert.equal(await renamePackageFields(work), true);
      assert.equal(String(await bytes()), renamed);
      assert.deepEqual(await findAgentSettings(work), []);
      await restorePackageFields(work);
      await restorePackageFields(work);
      assert.equal(String(await bytes()), text);
      assert.equal((await lstat(join(work, 'package.json'))).mode, before.mode);
    });
  }

  it('are restored in every such file at the root, however long the agent made it', async () => {
    await put('{"bin":"e.js"}');
    await renamePackageFields(work);
    await rm(join(work, 'package.json'));
    await writeFile(join(work, 'PACKAGE.JSON'), `{"//docs-agent:bin":"e.js"}${' '.repeat(2 * 1024 * 1024)}`);
    await put('{}');
    await restorePackageFields(work);
    assert.match(await readFile(join(work, 'PACKAGE.JSON'), 'utf8'), /^\{"bin"/);
  });

  const WHOLE: [string, string | Buffer][] = [
    ['is written with an escape', '{"\\u0062in":"e.js"}'],
    ['could not be told apart afterwards', '{"//docs-agent:bin":"x","bin":"e.js"}'],
    ['stands in what is no JSON', '{"bin":"e.js",}'],
    ['stands in another encoding', Buffer.from('{"bin":"e.js"}', 'utf16le')],
    ['stands in a file that is too large', `{"bin":"e.js"}${' '.repeat(1024 * 1024)}`],
  ];
  for (const [what, text] of WHOLE) {
    it(`make package.json count as settings when a field name ${what}`, async () => {
      await put(text);
      assert.equal(await renamePackageFields(work), false);
      assert.deepEqual(await findAgentSettings(work), ['package.json']);
      await restorePackageFields(work);
      assert.deepEqual(await bytes(), Buffer.from(text));
    });
  }

  it('are not found in other files, which stay unchanged', async () => {
    assert.equal(await renamePackageFields(work), false);
    const text = '{"//bin":"x","scripts":{"bin":"x"}}';
    await put(text);
    assert.equal(await renamePackageFields(work), false);
    await restorePackageFields(work);
    assert.deepEqual([String(await bytes()), await findAgentSettings(work)], [text, []]);
  });

  itOnUnix('are not restored through a symlink created by the agent', async () => {
    await put('{"bin":"e.js"}');
    await renamePackageFields(work);
    const outside = join(await temporaryFolder(), 'package.json');
    await writeFile(outside, '{"//docs-agent:bin":"x"}');
    await rm(join(work, 'package.json'));
    await symlink(outside, join(work, 'package.json'));
    assert.deepEqual(await findAgentSettings(work), ['package.json']);
    await restorePackageFields(work);
    assert.equal(await readFile(outside, 'utf8'), '{"//docs-agent:bin":"x"}');
  });
});

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

  itOnLinux('are found, and so is what lies in folders that only look like others', async () => {
    assert.deepEqual(await findAgentSettings(work), [...SETTINGS, ...INSIDE].toSorted());
  });

  itOnLinux('are withheld and restored under the name that they have', async () => {
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

describe('isPlainProse', () => {
  const isPlain = async (text: string): Promise<boolean> => {
    const path = join(await temporaryFolder(), 'guide.md');
    await writeFile(path, text);
    return isPlainProse(Buffer.from(path));
  };

  for (const text of ['See !`id`', 'List:\n\n```! \nid\n```\n', 'See !{id}', 'See @{docs/a.md}']) {
    it(`is false for prose that an agent expands: ${JSON.stringify(text)}`, async () => {
      assert.equal(await isPlain(`---\nname: guide\n---\n${text}`), false);
      assert.equal(await isPlain(text), false);
    });
  }

  it('is true for code blocks, exclamation marks, and addresses', async () => {
    assert.equal(await isPlain('Run it now! `make`\n\n```sh\nmake!\n```\n\nWrite to a@example.com {soon}.\n'), true);
  });
});

describe('the search for settings of agents in a large repository', () => {
  afterEach(() => mock.restoreAll());

  it('lets the service answer other requests between the files', async () => {
    const work = await temporaryFolder();
    await Promise.all(Array.from({ length: 20 }, (_, index) => writeFile(join(work, `${index}.md`), '')));
    let time = 0;
    mock.method(performance, 'now', () => (time += 1_000));
    const pauses = mock.method(globalThis, 'setImmediate');
    assert.deepEqual(await findAgentSettings(work), []);
    assert.ok(pauses.mock.callCount() >= 20, String(pauses.mock.callCount()));
  });
});
