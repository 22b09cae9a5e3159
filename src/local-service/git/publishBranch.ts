import { join } from 'node:path';
import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';
import { cutText, neutralizeMentions } from '../text';
import { branchInTheWay, hostPlace, type JobFolders } from './jobClone';
import type { Identity } from './userRepository';

/** The longest first line of a commit message, in characters. */
const MAX_SUBJECT = 72;
/** The most that a commit message holds of a prompt, in lines and in characters of one. */
const MAX_PROMPT_LINES = 20;
const MAX_PROMPT_LINE = 200;
/** The most that is kept of an agent's words, in characters. */
const MAX_SUMMARY = 4000;

/**
 * Commits a tree onto the job's branch in the service's own git directory, by commands that run no hook, editor or
 * signing program.
 *
 * @returns the id of the commit, or undefined when the tree is that of the parent
 */
export async function commitTree(
  git: Git,
  folders: JobFolders,
  commit: { branch: string; parent: string; tree: string; message: string; author: Identity },
): Promise<string | undefined> {
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  const parentTree = (await git.run(host, ['rev-parse', '--verify', `${commit.parent}^{tree}`])).trim();
  if (parentTree === commit.tree) {
    return undefined;
  }
  const { name, email } = commit.author;
  const environment = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
  const args = ['commit-tree', commit.tree, '-p', commit.parent, '-F', '-'];
  const id = (await git.run(host, args, { input: commit.message, environment })).trim();
  await git.run(host, ['update-ref', `refs/heads/${commit.branch}`, id, commit.parent]);
  return id;
}

/**
 * The message of a turn's commit: the prompt's first line, the beginning of the prompt where it says more, what the agent
 * says of its work, the job's trailer. A prompt may hold whole files, which have no place in a history.
 */
export function commitMessage(prompt: string, jobId: string, summary = ''): string {
  const text = withoutControls(prompt);
  const said = withoutTrailers(neutralizeMentions(cutText(withoutControls(summary), MAX_SUMMARY)));
  const firstLine = text.split('\n', 1)[0]?.trim() ?? '';
  const subject = cutText(firstLine, MAX_SUBJECT);
  const body = [...(text === subject ? [] : [firstLines(text)]), ...(said === '' ? [] : [said])];
  return `${[subject || 'Documentation', ...body, `Docs-Agent-Job: ${jobId}`].join('\n\n')}\n`;
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  const left = lines.length - MAX_PROMPT_LINES;
  const more = left === 1 ? '… 1 more line' : `… ${left.toLocaleString('en-US')} more lines`;
  const kept = lines.slice(0, MAX_PROMPT_LINES).map((line) => cutText(line, MAX_PROMPT_LINE));
  return [...kept, ...(left > 0 ? [more] : [])].join('\n');
}

/** A commit message holds no NUL and no terminal control. */
function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- that is what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim();
}

/** No agent signs in a person's name or as another job. */
function withoutTrailers(text: string): string {
  return text.replace(/^(?=\s*(?:docs-agent-|signed-off-by|co-authored-by|[a-z]+-by)[^\n:]*:)/gim, '> ');
}

/**
 * Brings the job's branch into the user's repository and touches nothing else there: no checkout, index, other branch,
 * `FETCH_HEAD`, tag, hook or housekeeping. The branch only ever moves forward, so that commits which the user added to
 * it are not lost. Throws TurnFailure.
 *
 * @param name what the repository is called where it can't be done
 */
export async function publishBranch(
  git: Git,
  repository: string | GitPlace,
  hostGit: string,
  branch: string,
  name = coded('yourRepository'),
): Promise<void> {
  const into = typeof repository === 'string' ? { folder: repository } : repository;
  const ref = `refs/heads/${branch}`;
  const alone = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
  const args = ['fetch', ...alone, '--upload-pack=git-upload-pack', '--', hostGit, `${ref}:${ref}`];
  try {
    await git.run(await disableRepositoryPrograms(git, into), args);
  } catch (error) {
    throw branchInTheWay(error) ?? new TurnFailure(whyNotPublished(branch, name, error));
  }
  const [wanted, got] = await Promise.all([
    git.run({ folder: hostGit, gitDir: hostGit }, ['rev-parse', '--verify', ref]),
    git.run(into, ['rev-parse', '--verify', ref]),
  ]);
  if (wanted !== got) {
    throw new TurnFailure(coded('branchNotBrought', { branch, repository: name }));
  }
}

function whyNotPublished(branch: string, repository: CodedText, error: unknown): CodedText {
  const words = error instanceof GitError ? error.message : String(error);
  if (words.includes('refusing to fetch into')) {
    return coded('branchCheckedOut', { branch, repository });
  }
  if (/non-fast-forward|rejected/.test(words)) {
    return coded('branchHasMore', { branch, repository });
  }
  return coded('branchNotBroughtSaying', { branch, repository, words });
}

/**
 * Brings the branch into a repository on this machine. It is fetched there by a git that runs nothing: a push would run
 * the hooks and the configuration of a folder that may have come with the repository itself. Throws TurnFailure.
 */
export async function pushToFolder(git: Git, folder: string, hostGit: string, branch: string): Promise<void> {
  const gitDir = await gitDirectoryOf(git, folder);
  if (gitDir === undefined) {
    throw new TurnFailure(coded('remoteNoRepository', { folder }));
  }
  await publishBranch(git, { folder: gitDir, gitDir }, hostGit, branch, coded('theRemote', { folder }));
}

/** Where git would look for it, in its order (git-fetch(1), `enter_repo`). */
async function gitDirectoryOf(git: Git, folder: string): Promise<string | undefined> {
  for (const candidate of [join(folder, '.git'), folder, join(`${folder}.git`, '.git'), `${folder}.git`]) {
    try {
      const found = await git.run({ folder: '/', gitDir: candidate }, ['rev-parse', '--absolute-git-dir']);
      return found.replace(/\r?\n$/, '');
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
