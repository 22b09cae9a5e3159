import { join } from 'node:path';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type Git, GitError, type GitPlace, type RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { HostHasMore, TurnFailure } from '../turnFailure';
import { branchConflict, hostPlace, type JobFolders } from './jobClone';
import { cutText, neutralizeMentions } from '../text';
import type { Identity } from './userRepository';

/**
 * Commits a tree to the job's branch in the service's own git directory, with commands that run no hook, editor or
 * program of the repository.
 *
 * @param commit `merged` are further parents
 * @returns the id of the commit, or undefined if the tree is that of the parent and nothing is merged
 */
export async function commitTree(
  git: Git,
  folders: JobFolders,
  commit: {
    branch: string;
    parent: string;
    parentTree?: string | undefined;
    merged?: readonly string[];
    tree: string;
    message: string;
    author: Identity;
  },
  findSigning?: FindSigning,
): Promise<{ id: string; note?: CodedText } | undefined> {
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  const parentTree =
    commit.parentTree ?? (await git.run(host, ['rev-parse', '--verify', `${commit.parent}^{tree}`])).trim();
  const { merged = [] } = commit;
  if (parentTree === commit.tree && merged.length === 0) {
    return undefined;
  }
  const run: RunGit = (args, options) => git.run(host, args, options);
  const made = await makeCommit(run, { ...commit, parents: [commit.parent, ...merged] }, findSigning);
  await run(['update-ref', `refs/heads/${commit.branch}`, made.id, commit.parent]);
  return made;
}

/**
 * Fetches the job's branch into the user's repository and changes nothing else there: no checkout, index, other branch,
 * `FETCH_HEAD`, tag, hook or maintenance. The branch is only fast-forwarded, so that commits that the user added to it
 * are not lost. Throws TurnFailure: HostHasMore if the branch there has more.
 *
 * @param options `name` is what error messages call the repository; `isReplaced` allows replacing what the branch has
 */
export async function publishBranch(
  git: Git,
  repository: string | GitPlace,
  hostGit: string,
  branch: string,
  { name = coded('yourRepository'), isReplaced = false }: { name?: CodedText; isReplaced?: boolean } = {},
): Promise<void> {
  const into = typeof repository === 'string' ? { folder: repository } : repository;
  const ref = `refs/heads/${branch}`;
  const alone = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
  const refspec = `${isReplaced ? '+' : ''}${ref}:${ref}`;
  const args = ['fetch', ...alone, '--upload-pack=git-upload-pack', '--', hostGit, refspec];
  try {
    await git.run(await disableRepositoryPrograms(git, into), args);
  } catch (error) {
    throw branchConflict(error) ?? whyNotPublished(branch, name, error);
  }
}

function whyNotPublished(branch: string, repository: CodedText, error: unknown): TurnFailure {
  const words = error instanceof GitError ? error.message : String(error);
  if (words.includes('refusing to fetch into')) {
    return new TurnFailure(coded('branchCheckedOut', { branch, repository }));
  }
  if (/non-fast-forward|rejected/.test(words)) {
    return new HostHasMore(coded('branchHasMore', { branch, repository }));
  }
  return new TurnFailure(coded('branchNotBroughtSaying', { branch, repository, words }));
}

/**
 * Publishes the branch to a repository on this machine. It is fetched into that repository by a git that runs no other
 * program, because a push would run the hooks and the configuration of a folder that may have come with the repository
 * itself. Throws TurnFailure.
 */
export async function pushToFolder(git: Git, folder: string, hostGit: string, branch: string): Promise<void> {
  const gitDir = await gitDirectoryOf(git, folder);
  if (gitDir === undefined) {
    throw new TurnFailure(coded('remoteNoRepository', { folder }));
  }
  await publishBranch(git, { folder: gitDir, gitDir }, hostGit, branch, { name: coded('theRemote', { folder }) });
}

/** Looks where git would, in the same order (git-fetch(1), `enter_repo`). */
export async function gitDirectoryOf(git: Git, folder: string): Promise<string | undefined> {
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

/** How long a signing program may take, which may ask for a passphrase where no one sees it, in milliseconds. */
const SIGN_MS = 20_000;

interface CommitToMake {
  tree: string;
  parents: readonly string[];
  message: string;
  author: Identity;
}

/** Returns how the user signs commits; undefined if they don't. Throws GitError. */
export type FindSigning = () => ReturnType<Git['signing']>;

export function committer({ name, email }: Identity): Record<string, string> {
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** Makes a commit, which no branch has. If it can't be signed, it is made without a signature, and the note says so. */
export async function makeCommit(
  run: RunGit,
  { tree, parents, message, author }: CommitToMake,
  findSigning: FindSigning = async () => undefined,
  signMs = SIGN_MS,
): Promise<{ id: string; note?: CodedText }> {
  const { name, email } = author;
  const environment = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, ...committer(author) };
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const options = { input: message, environment };
  try {
    const signing = await findSigning();
    if (signing !== undefined) {
      const asUser = { ...options, environment: { ...environment, ...signing.environment }, timeoutMs: signMs };
      return { id: (await run([...signing.settings, ...args, '--gpg-sign'], asUser)).trim() };
    }
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
    return { id: (await run(args, options)).trim(), note: coded('notSigned', { words: error.message }) };
  }
  return { id: (await run(args, options)).trim() };
}

/** The length of a line of a commit message that git recommends, in characters. */
const LINE = 72;
/** How much of a prompt a commit message contains: lines, and characters per line. */
const MAX_PROMPT_LINES = 20;
const MAX_PROMPT_LINE = 200;

/** What a repository's rules want of each commit message. */
export interface MessageStyle {
  /** What each first line starts with. */
  subjectPrefix?: string | undefined;
  /** Who signs it off; undefined if no one does. */
  signOff?: Identity | undefined;
}

/** What the message of merged work is made from, without secrets. */
export interface MergedText {
  prompt: string;
  summary: string;
}

/**
 * The message of a turn's commit: the prompt's first line, the start of its other lines, the agent's summary, and one
 * block of trailers. A prompt may contain whole files, which do not belong in a history.
 */
export function commitMessage(prompt: string, jobId: string, summary = '', style: MessageStyle = {}): string {
  const parts = partsOf({ prompt, summary }, style);
  const [firstLine = '', ...others] = parts.asked.split('\n');
  const subject = subjectOf(firstLine, style);
  // A first line that was cut is repeated whole.
  const asked = subject.endsWith(firstLine.trim()) ? others.join('\n').trim() : parts.asked;
  return assemble(subject, [firstLines(asked), parts.said], parts.trailers([`Docs-Agent-Job: ${jobId}`]));
}

/**
 * The message of the one commit that merged work becomes: its subject and body come from the agent's summary, or else
 * from the prompt. The trailers tell later merges which of the job's commits the branch has (see `findSquashed`).
 */
export function squashMessage(text: MergedText, jobId: string, commit: string, style: MessageStyle = {}): string {
  const { asked, said, trailers } = partsOf(text, style);
  const firstLine = firstSentence(said) || (asked.split('\n', 1)[0] ?? '');
  const subject = subjectOf(firstLine, style);
  const isAllSaid = subject.endsWith(said.replace(/\.$/, ''));
  const prompt = asked === '' || subject.endsWith(asked) ? '' : `Prompt:\n${firstLines(asked)}`;
  const body = [isAllSaid ? '' : withoutTrailers(wrap(said)), prompt];
  return assemble(subject, body, trailers([`Docs-Agent-Job: ${jobId}`, `Docs-Agent-Commit: ${commit}`]));
}

function assemble(subject: string, body: readonly string[], trailers: readonly string[]): string {
  return `${[subject, ...body.filter((each) => each !== ''), trailers.join('\n')].join('\n\n')}\n`;
}

function subjectOf(firstLine: string, { subjectPrefix: prefix = '' }: MessageStyle): string {
  const line = firstLine.trim() || 'Documentation';
  return line.toLowerCase().startsWith(prefix.trim().toLowerCase())
    ? cutText(line, LINE)
    : prefix + cutText(line, LINE - prefix.length);
}

/** A trailer that a person writes at the end of a prompt. Ours tell which commits a job has made. */
const TRAILER = /^(?!docs-agent-)[A-Z][A-Za-z0-9-]*: \S.{0,180}$/i;
const SIGNATURE = /^[A-Z][A-Za-z-]*-by: \S.{0,180}$/i;
/** One that an agent may write: none that says what a person did, and no remark such as “Note: …”. */
const AGENTS_TRAILER = /^(?!docs-agent-|.*-by:)[A-Z][A-Za-z0-9]*-[A-Za-z0-9-]+: \S.{0,180}$/i;

/** The prompt and the summary without the trailers at their ends, which join ours: git reads only the last block. */
function partsOf({ prompt, summary }: MergedText, { signOff }: MessageStyle) {
  const signed = signOff && `Signed-off-by: ${withoutControls(signOff.name)} <${withoutControls(signOff.email)}>`;
  const [asked, own] = splitTrailers(withoutControls(prompt), TRAILER, SIGNATURE);
  const given = [...own, ...(signed === undefined ? [] : [signed])];
  const isGiven = (line: string): boolean => given.some((each) => each.toLowerCase() === line.trim().toLowerCase());
  const lines = withoutControls(summary).split('\n');
  const unsigned = lines
    .filter((line) => !isGiven(line))
    .join('\n')
    .trim();
  const [said, agents] = splitTrailers(unsigned, AGENTS_TRAILER);
  return {
    asked,
    said: withoutTrailers(neutralizeMentions(said)),
    trailers: (ours: readonly string[]) =>
      [...new Set([...own, ...neutralizeMentions(agents.join('\n')).split('\n'), ...ours, ...given])].filter(
        (line) => line !== '',
      ),
  };
}

/**
 * Splits off the trailers at the end: a paragraph of them, or lines of the second kind below other text. The first line
 * stays.
 */
function splitTrailers(text: string, trailer: RegExp, anywhere?: RegExp): [text: string, trailers: string[]] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const startOf = (pattern: RegExp): number => lines.findLastIndex((line) => !pattern.test(line)) + 1;
  const paragraph = startOf(trailer);
  const start = paragraph > 0 && lines[paragraph - 1] === '' ? paragraph : anywhere ? startOf(anywhere) : lines.length;
  return start === 0 ? [text, []] : [lines.slice(0, start).join('\n').trim(), lines.slice(start)];
}

/** The first sentence of a text in Markdown, without its marks and its full stop. Empty if there is none. */
function firstSentence(text: string): string {
  const line =
    text
      .split('\n')
      .map((each) => each.replace(/^[\s#>*+-]+|[*_`]{2,}/g, '').trim())
      .find((each) => /\p{L}/u.test(each)) ?? '';
  return (/^.+?[.!?:](?=\s|$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, '');
}

/** Breaks long lines at spaces, except in code blocks. */
function wrap(text: string): string {
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    isCode = isFence ? !isCode : isCode;
    return isCode || isFence ? line : line.replace(new RegExp(`(.{1,${LINE}})(?: +|$)`, 'g'), '$1\n').trimEnd();
  });
  return lines.join('\n');
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  const left = lines.length - MAX_PROMPT_LINES;
  const more = left === 1 ? '… 1 more line' : `… ${left.toLocaleString('en-US')} more lines`;
  const kept = lines.slice(0, MAX_PROMPT_LINES).map((line) => cutText(line, MAX_PROMPT_LINE));
  return [...kept, ...(left > 0 ? [more] : [])].join('\n');
}

/** Removes NUL and terminal controls, which a commit message must not contain. */
function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- that is what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim();
}

/** Keeps an agent from signing in a person's name or as another job. */
function withoutTrailers(text: string): string {
  return text.replace(
    /^(?=[^\S\r\n\u2028\u2029]*(?:docs-agent-|signed-off-by|co-authored-by|[a-z]+-by)[^\n:]*:)/gim,
    '> ',
  );
}
