import { type Git, GitError, type RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { Identity } from './userRepository';

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
