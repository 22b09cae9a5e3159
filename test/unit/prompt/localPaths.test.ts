import assert from 'node:assert/strict';
import { withoutLocalPaths } from '../../../src/prompt/promptText';

describe('a text without the paths of the machine', () => {
  const folders = [
    { path: '/home/ann/site', name: 'site' },
    { path: '/home/ann/site/docs', name: 'docs' },
  ];
  const cases: [string, string][] = [
    ['Cannot find /home/ann/site/src/a.ts', 'Cannot find src/a.ts'],
    ['in "/home/ann/site/docs/a.md", or /home/ann/site.', 'in "a.md", or site.'],
    ['see file:///home/ann/site/src/a.ts:3', 'see src/a.ts:3'],
    ['read /home/ann/.config/x and /home/ann', 'read ~/.config/x and ~'],
    ['/home/anna/a and /home/ann-b and /srv/home/ann/a', '/home/anna/a and /home/ann-b and /srv/home/ann/a'],
    ['nothing of it', 'nothing of it'],
  ];
  for (const [text, told] of cases) {
    it(`says “${told}”`, () => assert.equal(withoutLocalPaths(text, folders, '/home/ann/'), told));
  }

  it('knows the other slash and no case on a disk with a letter', () => {
    const at = [{ path: 'C:\\Users\\Ann\\site', name: 'site' }];
    const text = 'c:\\users\\ann\\site\\a.ts C:/Users/Ann/site/b.ts C:\\Users\\Ann\\x';
    assert.equal(withoutLocalPaths(text, at, 'C:\\Users\\Ann'), 'a.ts b.ts ~/x');
  });

  it('takes a text as it is where there is no home', () => {
    assert.equal(withoutLocalPaths('/a/b', [], '/'), '/a/b');
  });
});
