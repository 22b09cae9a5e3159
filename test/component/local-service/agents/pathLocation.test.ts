import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locatePath } from '../../../../src/local-service/agents/pathLocation';
import { notOnWindows } from '../../../support/machine';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('locatePath', function () {
  // Links need a privilege there.
  notOnWindows();
  let parent = '';

  before(async () => {
    parent = await temporaryFolder();
    const [folder, outside] = [join(parent, 'work'), join(parent, 'outside')];
    await mkdir(join(folder, 'docs'), { recursive: true });
    await mkdir(join(folder, '.git', 'hooks'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(folder, 'docs', 'index.md'), '');
    await symlink(outside, join(folder, 'out'));
    await symlink(join(folder, 'docs'), join(folder, 'in'));
    await symlink(join(outside, 'new'), join(folder, 'dangling'));
    await symlink('.git', join(folder, 'hidden'));
    await symlink(folder, join(outside, 'back'));
  });

  const cases: [string, string][] = [
    ['docs/index.md', 'inside docs/index.md'],
    ['docs/new/page.md', 'inside docs/new/page.md'],
    ['docs/../README.md', 'inside README.md'],
    ['in/index.md', 'inside docs/index.md'],
    ['out/back/docs/index.md', 'inside docs/index.md'],
    ['@/docs/my page.md', 'inside docs/my page.md'],
    ['.', 'inside '],
    ['.gitignore', 'inside .gitignore'],
    ['..docs', 'inside ..docs'],
    ['..', 'outside'],
    ['@/../work2/x', 'outside'],
    ['/etc/passwd', 'outside'],
    ['file:///etc/passwd', 'outside'],
    ['out/secret', 'outside'],
    ['out/new/page.md', 'outside'],
    ['.git', 'git'],
    ['.GIT/config', 'git'],
    ['docs/.git/x', 'git'],
    ['hidden/config', 'git'],
    ['dangling', 'unclear'],
    ['dangling/x', 'unclear'],
    ['', 'unclear'],
    ['a\0b', 'unclear'],
    ['file://host/x', 'unclear'],
  ];
  for (const [named, expected] of cases) {
    it(`finds ${JSON.stringify(named)} ${expected}`, async () => {
      const folder = join(parent, 'work');
      const located = await locatePath(folder, named.replace('@', folder));
      assert.equal(located.kind === 'inside' ? `inside ${located.path}` : located.kind, expected);
    });
  }

  it('accepts a URL of a file inside', async () => {
    const folder = join(parent, 'work');
    const url = String(pathToFileURL(join(folder, 'docs', 'my page.md')));
    assert.deepEqual(await locatePath(folder, url), { kind: 'inside', path: 'docs/my page.md' });
  });
});
