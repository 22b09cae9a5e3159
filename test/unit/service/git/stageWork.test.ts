import assert from 'node:assert/strict';
import { posix } from 'node:path';
import fc from 'fast-check';
import { leadsOutByText } from '../../../../src/service/git/stageWork';

describe('leadsOutByText', () => {
  const cases: [string, string, boolean][] = [
    ['link', 'README.md', false],
    ['docs/link', '../README.md', false],
    ['docs/link', '.', false],
    ['docs/link', '..', false],
    ['link', '..', true],
    ['docs/link', '../../README.md', true],
    ['link', '/etc/passwd', true],
    ['link', 'C:\\secret', true],
    ['link', '\\\\host\\share', true],
    ['link', 'docs\\..\\..\\secret', true],
    ['link', 'docs/../README.md', true],
    ['link', '.git/config', true],
    ['link', 'docs/.GIT/config', true],
    ['link', '', true],
  ];
  for (const [path, target, out] of cases) {
    it(`${out ? 'refuses' : 'takes'} ${path} → “${target}”`, () => assert.equal(leadsOutByText(path, target), out));
  }

  it('takes nothing that a path above the root comes of', () => {
    const part = fc.constantFrom('..', '.', 'a', 'b', '');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
        fc.array(part, { maxLength: 8 }),
        (folder, to) => {
          const target = to.join('/');
          const end = posix.normalize(posix.join('/root', ...folder, target));
          if (!leadsOutByText([...folder, 'link'].join('/'), target)) {
            assert.ok(end.startsWith('/root'), end);
          }
        },
      ),
      { numRuns: 2000, seed: 7 },
    );
  });
});
