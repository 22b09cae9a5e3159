import type { CodeNow } from './codeNow';
import { type ClassifiedName, isStructured, wordsOf } from './names';

/**
 * Whether a name that was found nowhere should be reported. Plain words in code font, names of packages, and flags in
 * command lines mostly belong to other software.
 */
export function isOwnName(name: ClassifiedName, code: readonly CodeNow[]): boolean {
  switch (name.inCommand ? undefined : name.kind) {
    case undefined:
      return false;
    case 'flag':
    case 'variable':
      return true;
    case 'file':
      return isBelowOwnFolder(name.name, code);
    case 'keyPath':
      return name.groups.some(([word = '']) => isStructured(word)) || isBelowOwnName(name, code);
    case 'identifier':
      // A lowercase word is only reported as a call.
      return (
        !name.isPlain && !name.name.includes('-') && (isStructured(name.name) || /^[a-z][a-z0-9]*$/.test(name.name))
      );
  }
}

/** For example, `client.reconnect` when the code has `client`. */
function isBelowOwnName({ name }: ClassifiedName, code: readonly CodeNow[]): boolean {
  const [first = ''] = name.split(/\W/, 1);
  return first.length > 2 && code.some((each) => each.mayHave(first));
}

/** Examples show files of the reader's project, whose folders this repository usually doesn't have. */
function isBelowOwnFolder(path: string, code: readonly CodeNow[]): boolean {
  const folder = path.replace(/\/$/, '').split('/').slice(0, -1).join('/');
  return folder.includes('/') && code.some((each) => each.hasFolder(folder));
}

/** A name without case and separators, because a binding in another language spells it in its own notation. */
export function looseName(word: string): string {
  return word.replace(/[_-]/g, '').toLowerCase();
}

/** Returns the loose names that match some word of these texts. */
export async function looselyThere(
  wanted: ReadonlySet<string>,
  texts: AsyncIterable<Uint8Array | undefined>,
): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const text of texts) {
    for (const word of wordsOf(Buffer.from(text ?? []).toString('latin1'))) {
      const loose = looseName(word);
      if (wanted.has(loose)) {
        found.add(loose);
      }
    }
  }
  return found;
}
