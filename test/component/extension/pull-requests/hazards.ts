// What a checkout of a job's branch could lose, and what keeps it.

export const REF = 'docs-agent/job';

/** Creates the job's branch with the script and returns to `main`. */
export const job = (script: string): string =>
  `git switch -qc ${REF}; ${script}; git add -Af .; git commit -q --allow-empty -m Job; git switch -q main`;
const ignore = (name: string): string => `echo ${name} >>.git/info/exclude`;
const submodule = (at: string): string =>
  `git init -q .git/other; (cd .git/other; echo 1 >page.md; git add .; git commit -qm 1);
  git -c protocol.file.allow=always submodule --quiet add ./.git/other ${at}; git commit -qm Submodule`;
/** Replaces the submodule in the job's branch, and leaves “Mine” in it on `main`. */
export const replaced = (at: string, script: string, top = at): string =>
  `${submodule(at)}; ${job(`git rm -qr --cached ${top}; mv ${top} .git/kept; ${script}`)}; rm -rf ${top}; mv .git/kept ${top}; echo Mine >${at}/own.md`;
const nested = (at: string): string =>
  `git init -q ${at}; (cd ${at}; echo Mine >own.md; git add .; git commit -qm Own)`;
export const ADDS = job('echo 1 >notes.md');

/**
 * What keeps the file with “Mine”: git refuses, one of our two checks does, a worktree is offered because of uncommitted
 * changes, or git switches and leaves the file where it is.
 */
type Outcome = 'git refuses' | 'is refused' | 'offers a worktree' | 'switches';

export const HAZARDS: readonly [what: string, script: string, file: string, outcome: Outcome][] = [
  ['an untracked file that the branch adds', `${ADDS}; echo Mine >notes.md`, 'notes.md', 'git refuses'],
  [
    'an ignored file that the branch adds',
    `${ignore('notes.md')}; ${ADDS}; echo Mine >notes.md`,
    'notes.md',
    'git refuses',
  ],
  [
    'an ignored file that this branch no longer tracks',
    `echo 1 >.env; git add .; git commit -qm 1; git branch ${REF}; git rm -q .env; git commit -qm 2; ${ignore('.env')}; echo Mine >.env`,
    '.env',
    'git refuses',
  ],
  [
    'an ignored file to which the branch renames one',
    `${ignore('notes.md')}; ${job('git mv README.md notes.md')}; echo Mine >notes.md`,
    'notes.md',
    'git refuses',
  ],
  [
    'an ignored folder where the branch has a file',
    `${ignore('notes')}; ${job('echo 1 >notes')}; mkdir notes; echo Mine >notes/a.md`,
    'notes/a.md',
    'git refuses',
  ],
  [
    'an ignored file in a folder that the branch makes a file of',
    `${ignore('own.md')}; ${job('rm -r docs; echo 1 >docs')}; echo Mine >docs/own.md`,
    'docs/own.md',
    'git refuses',
  ],
  [
    'an ignored file in a folder that the branch changes',
    `${ignore('own.md')}; ${job('echo 1 >docs/new.md; rm docs/index.md')}; echo Mine >docs/own.md`,
    'docs/own.md',
    'switches',
  ],
  [
    'a repository in an ignored folder where the branch has a file',
    `${ignore('notes')}; ${job('echo 1 >notes')}; git init -q notes; echo Mine >notes/a.md`,
    'notes/a.md',
    'git refuses',
  ],
  [
    'a repository in a folder that the branch makes a file of',
    `${job('rm -r docs; echo 1 >docs')}; ${nested('docs/own')}`,
    'docs/own/own.md',
    'git refuses',
  ],
  [
    'an ignored repository in a folder that the branch makes a file of',
    `${ignore('own')}; ${job('rm -r docs; echo 1 >docs')}; ${nested('docs/own')}`,
    'docs/own/own.md',
    'git refuses',
  ],
  [
    'an ignored file where the branch has a folder',
    `${ignore('notes')}; ${job('mkdir notes; echo 1 >notes/a.md')}; echo Mine >notes`,
    'notes',
    'git refuses',
  ],
  [
    'an ignored link where the branch has a folder',
    `${ignore('/notes')}; ${ignore('/own')}; ${job('mkdir notes; echo 1 >notes/a.md')}; mkdir own; echo Mine >own/a.md; ln -s own notes`,
    'notes/a.md',
    'git refuses',
  ],
  [
    'an ignored file where the branch has a submodule',
    `${job(submodule('sub'))}; ${ignore('sub')}; rm -rf sub; echo Mine >sub`,
    'sub',
    'git refuses',
  ],
  ['a submodule where the branch has a file', replaced('sub', 'echo 1 >sub'), 'sub/own.md', 'is refused'],
  [
    'a submodule in a folder that the branch makes a file of',
    replaced('lib/sub', 'echo 1 >lib', 'lib'),
    'lib/sub/own.md',
    'is refused',
  ],
  [
    'an ignored file of a submodule where the branch has a folder',
    `${ignore('own.md')}; ${replaced('sub', 'mkdir sub; echo 1 >sub/own.md')}`,
    'sub/own.md',
    'git refuses',
  ],
  [
    'an ignored file in a submodule that is set up to be checked out along',
    `${submodule('sub')}; ${job('(cd sub; echo 1 >own.md; git add .; git commit -qm 2)')}; git submodule --quiet update; git config submodule.recurse true; echo own.md >>.git/modules/sub/info/exclude; echo Mine >sub/own.md`,
    'sub/own.md',
    'switches',
  ],
  [
    'a new file outside of a sparse checkout',
    `${job('mkdir more; echo 1 >more/a.md')}; git sparse-checkout set docs; ${ignore('more')}; mkdir more; echo Mine >more/a.md`,
    'more/a.md',
    'switches',
  ],
  [
    'a changed file outside of a sparse checkout',
    `${job('echo 1 >src/retry.ts')}; git sparse-checkout set docs; mkdir src; echo Mine >src/retry.ts`,
    'src/retry.ts',
    'offers a worktree',
  ],
  [
    'an ignored file whose name is not ASCII',
    `${ignore("'Größe.md'")}; ${job("echo 1 >'Größe.md'")}; echo Mine >'Größe.md'`,
    'Größe.md',
    'git refuses',
  ],
  [
    'an ignored file before the first commit',
    `git branch ${REF}; git switch -q --orphan new; ${ignore('README.md')}; echo Mine >README.md`,
    'README.md',
    'git refuses',
  ],
  [
    'an ignored file, whatever a tag of the branch’s name leads to',
    `git tag ${REF}; ${ignore('notes.md')}; ${ADDS}; echo Mine >notes.md`,
    'notes.md',
    'git refuses',
  ],
  [
    'a file that differs in case alone from one that the branch renames',
    `${ignore('Readme.MD')}; ${job('git mv README.md Readme.MD')}; echo Mine >Readme.MD`,
    'Readme.MD',
    'git refuses',
  ],
  ...['assume-unchanged', 'skip-worktree'].flatMap((flag): (typeof HAZARDS)[number][] => {
    const changed = `git update-index --${flag} README.md; echo Mine >README.md`;
    return [
      [`a change marked ${flag}`, `${ADDS}; ${changed}`, 'README.md', 'switches'],
      [
        `a change marked ${flag} to a file that the branch changes`,
        `${job('echo 1 >README.md')}; ${changed}`,
        'README.md',
        'git refuses',
      ],
      [
        `a change marked ${flag} to a file that the branch deletes`,
        `${job('git rm -q README.md')}; ${changed}`,
        'README.md',
        'git refuses',
      ],
    ];
  }),
  [
    'a folder in place of a file that git was told not to look at',
    `${ADDS}; git update-index --assume-unchanged README.md; rm README.md; mkdir README.md; echo Mine >README.md/own.md`,
    'README.md/own.md',
    'switches',
  ],
  ['a changed file', `${ADDS}; echo Mine >README.md`, 'README.md', 'offers a worktree'],
  ['a staged file', `${ADDS}; echo Mine >own.md; git add .`, 'own.md', 'offers a worktree'],
  [
    'a folder that took the place of a file',
    `${ADDS}; rm README.md; mkdir README.md; echo Mine >README.md/new.md`,
    'README.md/new.md',
    'offers a worktree',
  ],
  ['a file that took the place of a folder', `${ADDS}; rm -r docs; echo Mine >docs`, 'docs', 'offers a worktree'],
  [
    'a repository in place of a tracked file',
    `${ADDS}; rm README.md; ${nested('README.md')}`,
    'README.md/own.md',
    'offers a worktree',
  ],
  [
    'a linked worktree in place of a tracked file',
    `${ADDS}; rm README.md; git worktree add -q README.md -b wt; echo Mine >README.md/own.md`,
    'README.md/own.md',
    'offers a worktree',
  ],
];

export const HARMLESS: readonly [what: string, script: string][] = [
  ['a tracked file where the branch has a folder', job('rm README.md; mkdir README.md; echo 1 >README.md/a.md')],
  ['a tracked folder where the branch has a file', job('rm -r docs; echo 1 >docs')],
  ['an empty folder where the branch has a file', `${job('echo 1 >notes')}; mkdir -p notes/deep`],
  ['the folder that a submodule of the branch left behind', job(submodule('sub'))],
  ['a submodule at another commit', `${submodule('sub')}; ${ADDS}; (cd sub; git commit -q --allow-empty -m 2)`],
  [
    'a file of which the branch changes the case alone, on a disk that ignores it',
    `${ignore('Readme.MD')}; ${job('git mv README.md Readme.MD')}; git config core.ignorecase true; ln README.md Readme.MD || true`,
  ],
];
