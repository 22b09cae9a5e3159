import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renamePackageFields, restorePackageFields } from '../../../../src/local-service/agents/packagePrograms';
import { findAgentSettings } from '../../../../src/local-service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';

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

  it('are not restored through a symlink created by the agent', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
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
