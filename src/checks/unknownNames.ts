import type { CodeWords } from './codeWords';
import { type ClassifiedName, isStructured } from './names';

/**
 * Whether a name that was found nowhere should be reported. Plain words in code font, names of packages, and flags in
 * command lines mostly belong to other software.
 */
export function isOwnName(name: ClassifiedName, code: readonly CodeWords[]): boolean {
  switch (name.kind) {
    case 'flag':
    case 'variable':
      return !name.inCommand;
    case 'file':
      return isBelowOwnFolder(name.name, code);
    case 'keyPath':
      return name.groups.some(([word = '']) => isStructured(word)) || isBelowOwnName(name, code);
    case 'identifier':
      return !name.isPlain && !name.name.includes('-') && (isStructured(name.name) || isCalled(name));
  }
}

/** For example, `client.reconnect` when the code has `client`. */
function isBelowOwnName({ name }: ClassifiedName, code: readonly CodeWords[]): boolean {
  const [first = ''] = name.split(/\W/, 1);
  return first.length > 2 && code.some((words) => words.has(first));
}

/** A lowercase word is only reported as a call. */
function isCalled(name: ClassifiedName): boolean {
  return /^[a-z][a-z0-9]*$/.test(name.name) && !name.isPlain;
}

/** Examples show files of the reader's project, whose folders this repository usually doesn't have. */
function isBelowOwnFolder(path: string, code: readonly CodeWords[]): boolean {
  const folder = path.replace(/\/$/, '').split('/').slice(0, -1).join('/');
  return folder.includes('/') && code.some((words) => words.hasFolder(folder));
}

/** A name without case and separators, because a binding in another language spells it in its own notation. */
export function looseName(word: string): string {
  return word.replace(/[_-]/g, '').toLowerCase();
}

/** Returns the loose names that match some word of the code. */
export function looselyThere(wanted: ReadonlySet<string>, code: readonly CodeWords[]): Set<string> {
  const found = new Set<string>();
  for (const words of wanted.size === 0 ? [] : code) {
    for (const word of words.all()) {
      const loose = looseName(word);
      if (wanted.has(loose)) {
        found.add(loose);
      }
    }
  }
  return found;
}
