import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckoutResult } from '../../../../src/extension/features/pull-requests/checkOut';
import '../../../support/fakeEditor';
import { gitRepository } from '../../../support/gitRepository';
import { git, sampleRepository } from '../../../support/temporaryRepository';

/** Creates the branch `job` with the script and returns to `main`. */
const job = (script: string): string =>
  `git switch -qc job; ${script}; git add -Af .; git commit -q --allow-empty -m Job; git switch -q main`;
const ignore = (name: string): string => `echo ${name} >>.git/info/exclude`;
const SUBMODULE = `
  git init -q .git/other; (cd .git/other; echo 1 >page.md; git add .; git commit -qm 1);
  git -c protocol.file.allow=always submodule --quiet add ./.git/other sub; git commit -qm Submodule`;

const nested = (at: string): string =>
  `git init -q ${at}; (cd ${at}; echo Mine >own.md; git add .; git commit -qm Own)`;

/** Changes that a checkout of `job` would lose: name, setup script and the file that contains “Mine”. */
const LOST: readonly [what: string, script: string, file: string, named?: string, why?: string][] = [
  [
    'an ignored file that the branch adds',
    `${ignore('notes.md')}; ${job('echo 1 >notes.md')}; echo Mine >notes.md`,
    'notes.md',
  ],
  ['an untracked file that the branch adds', `${job('echo 1 >notes.md')}; echo Mine >notes.md`, 'notes.md'],
  [
    'an ignored file that this branch no longer tracks',
    `echo 1 >.env; git add .; git commit -qm 1; git branch job; git rm -q .env; git commit -qm 2; ${ignore('.env')}; echo Mine >.env`,
    '.env',
  ],
  [
    'an ignored file to which the branch renames one',
    `${ignore('notes.md')}; ${job('git mv README.md notes.md')}; echo Mine >notes.md`,
    'notes.md',
  ],
  [
    'an ignored folder where the branch has a file',
    `${ignore('notes')}; ${job('echo 1 >notes')}; mkdir notes; echo Mine >notes/a.md`,
    'notes/a.md',
  ],
  [
    'an ignored file in a folder that the branch makes a file of',
    `${ignore('own.md')}; ${job('rm -r docs; echo 1 >docs')}; echo Mine >docs/own.md`,
    'docs/own.md',
  ],
  [
    'a repository in an ignored folder where the branch has a file',
    `${ignore('notes')}; ${job('echo 1 >notes')}; git init -q notes; echo Mine >notes/a.md`,
    'notes/a.md',
    'notes',
  ],
  [
    'an ignored file where the branch has a folder',
    `${ignore('notes')}; ${job('mkdir notes; echo 1 >notes/a.md')}; echo Mine >notes`,
    'notes',
  ],
  [
    'an ignored file where the branch has a submodule',
    `${job(SUBMODULE)}; ${ignore('sub')}; rm -rf sub; echo Mine >sub`,
    'sub',
  ],
  [
    'the files of a submodule where the branch has a file',
    `${SUBMODULE}; ${job('git rm -q --cached sub; mv sub .git/kept; echo 1 >sub')}; rm -rf sub; mv .git/kept sub; echo Mine >sub/own.md`,
    'sub/own.md',
    'sub',
  ],
  [
    'an ignored file of a submodule where the branch has a folder',
    `${SUBMODULE}; ${job('git rm -q --cached sub; mv sub .git/kept; mkdir sub; echo 1 >sub/own.md')}; rm -rf sub; mv .git/kept sub; ${ignore('own.md')}; echo Mine >sub/own.md`,
    'sub/own.md',
  ],
  [
    'an ignored file in a submodule that is checked out along',
    `${SUBMODULE}; ${job('(cd sub; echo 1 >own.md; git add .; git commit -qm 2)')}; git submodule --quiet update; git config submodule.recurse true; echo own.md >>.git/modules/sub/info/exclude; echo Mine >sub/own.md`,
    'sub/own.md',
  ],
  [
    'a file outside of a sparse checkout',
    `${job('mkdir more; echo 1 >more/a.md')}; git sparse-checkout set docs; ${ignore('more')}; mkdir more; echo Mine >more/a.md`,
    'more/a.md',
  ],
  [
    'an ignored file whose name is not ASCII',
    `${ignore("'Größe.md'")}; ${job("echo 1 >'Größe.md'")}; echo Mine >'Größe.md'`,
    'Größe.md',
  ],
  [
    'an ignored file before the first commit',
    `git branch job; git switch -q --orphan new; ${ignore('README.md')}; echo Mine >README.md`,
    'README.md',
  ],
  [
    'an ignored file, whatever a tag of the branch’s name leads to',
    `git tag job; ${ignore('notes.md')}; ${job('echo 1 >notes.md')}; echo Mine >notes.md`,
    'notes.md',
  ],
  // git stash would restore the tracked file over these.
  [
    'a folder that took the place of a file',
    `${job('echo 1 >notes.md')}; rm README.md; mkdir README.md; echo Mine >README.md/new.md`,
    'README.md/new.md',
    'README.md',
    'unstashable',
  ],
  [
    'a file that took the place of a folder',
    `${job('echo 1 >notes.md')}; rm -r docs; echo Mine >docs`,
    'docs',
    'docs/getting-started.md',
    'unstashable',
  ],
  // The Git extension reports these as renames, with the new name.
  [
    'a new file in a folder that replaced a renamed file',
    `${job('echo 1 >notes.md')}; git mv README.md own; mkdir README.md; git mv own README.md/old.md; echo Mine >README.md/new.md`,
    'README.md/new.md',
    'README.md',
    'unstashable',
  ],
  [
    'a file that took the place of a renamed folder',
    `${job('echo 1 >notes.md')}; git mv docs own; echo Mine >docs`,
    'docs',
    'docs/getting-started.md',
    'unstashable',
  ],
  [
    'a change that git was told not to look for',
    `${job('echo 1 >notes.md')}; git update-index --assume-unchanged README.md; echo Mine >README.md; echo Other >>docs/getting-started.md`,
    'README.md',
    'README.md',
    'unnoticed',
  ],
  [
    'a folder in place of a file that git was told not to look at',
    `${job('echo 1 >notes.md')}; git update-index --assume-unchanged README.md; rm README.md; mkdir README.md; echo Mine >README.md/own.md; echo Other >>docs/getting-started.md`,
    'README.md/own.md',
    'README.md',
    'unnoticed',
  ],
  [
    'the last of many files that git was told not to look at',
    `mkdir c; for i in $(seq 1000 1250); do echo 1 >c/$i.ini; done; git add c; git commit -qm c; ${job('echo 1 >notes.md')}; git update-index --assume-unchanged c/*; echo Mine >c/1250.ini; echo Other >>README.md`,
    'c/1250.ini',
    'c/1250.ini',
    'unnoticed',
  ],
  [
    'a repository in place of a tracked file',
    `${job('echo 1 >notes.md')}; rm README.md; ${nested('README.md')}; echo Other >>docs/getting-started.md`,
    'README.md/own.md',
    'README.md',
    'unstashable',
  ],
  [
    'a repository in place of a tracked file, staged',
    `${job('echo 1 >notes.md')}; rm README.md; ${nested('README.md')}; git add README.md; echo Other >>docs/getting-started.md`,
    'README.md/own.md',
    'README.md',
    'unstashable',
  ],
  [
    'a linked worktree in place of a tracked file',
    `${job('echo 1 >notes.md')}; rm README.md; git worktree add -q README.md -b wt; echo Mine >README.md/own.md; echo Other >>docs/getting-started.md`,
    'README.md/own.md',
    'README.md',
    'unstashable',
  ],
];
/** More such cases, for case-sensitive disks that support symlinks. */
const LOST_ON_LINUX: typeof LOST = [
  [
    'a repository in place of a tracked link',
    `ln -s docs theme; git add theme; git commit -qm Link; ${job('echo 1 >notes.md')}; rm theme; ${nested('theme')}; echo Other >>README.md`,
    'theme/own.md',
    'theme',
    'unstashable',
  ],
  [
    'an ignored link where the branch has a folder',
    `${ignore('/notes')}; ${ignore('/own')}; ${job('mkdir notes; echo 1 >notes/a.md')}; mkdir own; echo Mine >own/a.md; ln -s own notes`,
    'notes/a.md',
    'notes',
  ],
  [
    'a file that differs in case alone from one that the branch renames',
    `${ignore('Readme.MD')}; ${job('git mv README.md Readme.MD')}; echo Mine >Readme.MD`,
    'Readme.MD',
  ],
];

const HARMLESS: readonly [what: string, script: string][] = [
  [
    'an ignored file in a folder that the branch changes',
    `${ignore('own.md')}; ${job('echo 1 >docs/new.md; rm docs/index.md')}; echo Mine >docs/own.md`,
  ],
  ['a tracked file where the branch has a folder', job('rm README.md; mkdir README.md; echo 1 >README.md/a.md')],
  ['a tracked folder where the branch has a file', job('rm -r docs; echo 1 >docs')],
  ['an empty folder where the branch has a file', `${job('echo 1 >notes')}; mkdir -p notes/deep`],
  [
    'an unchanged file that git was told not to look at',
    `${job('echo 1 >notes.md')}; git update-index --assume-unchanged README.md; echo Other >>docs/getting-started.md`,
  ],
  [
    'a file that is staged, and so will be in the stash',
    `${job('echo 1 >notes.md')}; echo Mine >notes.md; git add notes.md`,
  ],
  ['the folder that a submodule of the branch left behind', job(SUBMODULE)],
  // Two names for one file, as on a case-insensitive disk.
  [
    'a file of which the branch changes the case alone',
    `${ignore('Readme.MD')}; ${job('git mv README.md Readme.MD')}; ln README.md Readme.MD || true`,
  ],
];

describe('checking out a branch', () => {
  let load: typeof import('../../../../src/extension/features/pull-requests/checkOut');
  let Git: typeof import('../../../../src/git/git').Git;
  before(async () => {
    load = await import('../../../../src/extension/features/pull-requests/checkOut');
    // From the same instance of the module, whose errors the code recognizes.
    ({ Git } = await import('../../../../src/git/git'));
  });

  async function prepared(script: string): Promise<string> {
    const root = await sampleRepository();
    await git(root, '-c', `alias.x=!set -e; ${script.trim().replaceAll(/\n\s*/g, ' ')}`, 'x');
    return root;
  }

  async function checkOut(root: string, whileAsked?: () => Promise<unknown>): Promise<CheckoutResult> {
    const stash = async (): Promise<boolean> => Promise.resolve(whileAsked?.()).then(() => true);
    return load.checkOut({
      repository: gitRepository(root),
      git: new Git({ ...process.env, HOME: root }),
      ref: 'job',
      at: { local: 'job' },
      message: 'Before the job',
      questions: { stash, stashByCommand: async () => undefined },
    });
  }

  for (const [what, script, file, named = file, why = 'overwritten'] of [
    ...LOST,
    ...(process.platform === 'linux' ? LOST_ON_LINUX : []),
  ]) {
    it(`is refused for ${what}`, async () => {
      const root = await prepared(script);
      const end = await checkOut(root);
      strictEqual(await readFile(join(root, file), 'utf8').catch(() => 'gone'), 'Mine\n');
      deepStrictEqual(end, { is: 'wouldLose', path: named, why });
    });
  }

  for (const [what, script] of HARMLESS) {
    it(`is not refused for ${what}`, async () => {
      const end = await checkOut(await prepared(script));
      strictEqual(end.is, 'done', JSON.stringify(end));
    });
  }

  it('is refused for a file created while the user was being asked', async () => {
    const root = await prepared(`${ignore('notes.md')}; ${job('echo 1 >notes.md')}; echo Changed >README.md`);
    const end = await checkOut(root, async () => git(root, '-c', 'alias.x=!echo Mine >notes.md', 'x'));
    deepStrictEqual(end, { is: 'wouldLose', path: 'notes.md', why: 'overwritten' });
    deepStrictEqual(
      [await git(root, 'stash', 'list'), await readFile(join(root, 'README.md'), 'utf8')],
      ['', 'Changed\n'],
    );
  });

  it('is refused when git cannot list the files of the branch', async () => {
    const root = await prepared(
      `${job('echo 1 >docs/new.md')}; rm -f .git/objects/$(git rev-parse job:docs | sed "s|..|&/|")`,
    );
    const end = await checkOut(root);
    deepStrictEqual([end.is, end.is === 'failed' && end.isIntact], ['failed', true]);
  });
});
