import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyChanges } from '../../../src/git/applyChanges';
import { withUserFileSettings } from '../../../src/git/repositorySettings';
import { Git } from '../../../src/git/git';
import { runEditorGit } from '../../../src/git/editorGit';

// Applies changes that don't fit on the disk of the work tree, whose Git directory is elsewhere. A job has replaced one
// file with two. Prints what is there afterward.

const [disk = '', gitDir = ''] = process.argv.slice(2);
const folder = join(disk, 'work');
const git = (input: string | undefined, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
    cwd: folder,
    input,
    encoding: 'utf8',
  }).trim();
const text = (length: number): string => randomBytes(length / 2).toString('hex');

mkdirSync(folder);
git(undefined, 'init', '--quiet', `--separate-git-dir=${gitDir}`);
const before = text(1_000_000);
writeFileSync(join(folder, 'a.md'), before);
git(undefined, 'add', '--all');
git(undefined, 'commit', '--quiet', '-m', 'Before');
const base = git(undefined, 'rev-parse', 'HEAD');
const blobs = ['b.md', 'c.md'].map(
  (name) => `100644 blob ${git(text(900_000), 'hash-object', '-w', '--stdin')}\t${name}`,
);
const commit = git(undefined, 'commit-tree', git(`${blobs.join('\n')}\n`, 'mktree'), '-p', base, '-m', 'After');

const runner = new Git(process.env);
const place = await withUserFileSettings(runner, folder);
const paths = ['a.md', 'b.md', 'c.md'];
const failure = await applyChanges({ git: runner, place }, { base, commit, paths }, (...args) =>
  runEditorGit('git', folder, args),
).then(
  () => undefined,
  (error: unknown) => (error as Error).message,
);
const files = readdirSync(folder).filter((name) => name !== '.git');
const isBack = files.includes('a.md') && readFileSync(join(folder, 'a.md'), 'utf8') === before;
console.log(JSON.stringify({ failure, files, isBack }));
