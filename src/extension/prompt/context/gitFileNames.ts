import { realpath } from 'node:fs/promises';
import { asUserSees } from '../../../git/asUserSees';
import { Git, GitError } from '../../../git/git';
import { repositoryAbove } from './gitIgnored';

const LIST = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
/** How long git may take to list them, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** A list is used again for this long: the completion asks at every letter. */
const KEEP_MS = 3_000;

type Names = readonly string[] | undefined;

/** The names of the files that git tracks or would add, so that no ignored one is among them. */
export class GitFileNames {
  private readonly known = new Map<string, Promise<Names>>();

  constructor(private readonly keepMs = KEEP_MS) {}

  /** Those in a folder, by their path from there; undefined where git can't be asked, or the folder is in no repository. */
  of(folder: string): Promise<Names> {
    const known = this.known.get(folder);
    if (known !== undefined) {
      return known;
    }
    const listed = list(folder).finally(() => setTimeout(() => this.known.delete(folder), this.keepMs).unref());
    this.known.set(folder, listed);
    return listed;
  }
}

async function list(path: string): Promise<Names> {
  const git = new Git(process.env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const folder = await realpath(path).catch(() => path);
    const repository = await repositoryAbove(folder);
    if (repository === undefined) {
      return undefined;
    }
    const place = { ...(await asUserSees(git, repository)), folder };
    const names: string[] = [];
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of git.stream(place, LIST, signal)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\0');
      rest = parts.pop() ?? '';
      names.push(...parts);
    }
    return names;
  } catch (error) {
    if (error instanceof GitError || signal.aborted) {
      return undefined;
    }
    throw error;
  }
}
