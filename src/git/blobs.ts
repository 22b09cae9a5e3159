import { type ChangeRepository, GitError } from './git';

/** What git prints about a file besides its content, in bytes: an ID of up to 64 digits and a size. */
const MAX_HEADER = 128;

/**
 * Reads files of commits with one process. Undefined for those that don't exist, and for all others after a limit is
 * reached or git has failed. Throws the signal's reason.
 *
 * @param names `COMMIT:PATH`
 */
export async function readBlobs(
  { git, place, signal }: ChangeRepository,
  names: readonly string[],
  maxBytes: number,
): Promise<(Buffer | undefined)[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const bytes of git.stream(place, ['cat-file', '--batch', '-z'], signal, names.join('\0'))) {
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxBytes + names.length * MAX_HEADER) {
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
  }
  return splitBatch(Buffer.concat(chunks), names);
}

/** Each file is `ID blob SIZE`, its content, and a line feed after each of the two. */
function splitBatch(printed: Buffer, names: readonly string[]): (Buffer | undefined)[] {
  const found: (Buffer | undefined)[] = names.map(() => undefined);
  let at = 0;
  for (const [index, name] of names.entries()) {
    const start = printed.indexOf('\n', at) + 1;
    const header = printed.subarray(at, start - 1).toString();
    const [, type, size] = /^[0-9a-f]{40,64} (\w+) (\d+)$/.exec(header) ?? [];
    if (start === 0 || (size === undefined && header !== `${name} missing`)) {
      break;
    }
    at = size === undefined ? start : start + Number(size) + 1;
    if (type === 'blob' && at <= printed.length) {
      found[index] = printed.subarray(start, at - 1);
    }
  }
  return found;
}

/** Returns a file of a commit; undefined if there is none, or if it is too large. Throws the signal's reason. */
export async function readBlob(
  repository: ChangeRepository,
  { commit, path }: { commit: string; path: string },
  maxBytes: number,
): Promise<Buffer | undefined> {
  // No path has a NUL, which would end the name.
  const isName = /^[0-9a-f]{40,64}$/.test(commit) && !path.includes('\0');
  const [content] = isName ? await readBlobs(repository, [`${commit}:${path}`], maxBytes) : [];
  return content !== undefined && content.length <= maxBytes ? content : undefined;
}
