import assert from 'node:assert/strict';
import { IgnoreRules } from '../../../../../src/extension/features/prompt/context/ignoredFiles';

describe('.gitignore rules without git', () => {
  const files: Record<string, string> = { '': '*.env\nbuild/\n', 'packages/app': '!shown.env\nlocal.md\n' };
  const rules = new IgnoreRules((folder) => Promise.resolve(files[folder]));
  const cases: [path: string, isFolder: boolean, ignored: boolean][] = [
    ['packages/app/secret.env', false, true],
    ['packages/app/shown.env', false, false],
    ['packages/app/local.md', false, true],
    ['packages/local.md', false, false],
    ['packages/app/build', true, true],
    ['packages/app/build', false, false],
    ['packages/app/build/deep/page.md', false, true],
  ];
  for (const [path, isFolder, ignored] of cases) {
    it(`${ignored ? 'ignore' : 'keep'} ${isFolder ? 'the folder' : 'the file'} ${path}`, async () => {
      assert.equal(await rules.isIgnored(path, isFolder), ignored);
    });
  }
});
