import type { NameOnPage } from './collectNames';
import type { Finding } from './finding';
import type { MissingName } from './lostClaims';
import { needsRole } from './nameClaims';
import type { DependencyNames } from './ports';
import type { CodeNow } from './codeNow';
import { type ClassifiedName, isStructured, wordsOf } from './names';

/** Where a name may be that isn't in the code. */
interface Search {
  code: readonly CodeNow[];
  /** The contents of the files of code. */
  texts: () => AsyncIterable<Uint8Array | undefined>;
  dependencies: DependencyNames;
  /** Whether the whole history was read. */
  isWhole: boolean;
}

/** Returns findings about new names that neither the code, nor its history, nor the packages have. */
export async function unknownNames(
  never: readonly MissingName[],
  isNew: (name: NameOnPage) => boolean,
  { code, texts, dependencies, isWhole }: Search,
): Promise<Finding[]> {
  const own = never.filter(({ claim }) => !needsRole(claim) && !claim.name.isPlain && isOwnName(claim.name, code));
  const words = new Set(own.filter(({ claim }) => claim.name.kind !== 'file').flatMap(({ groups }) => groups.flat()));
  const there = words.size === 0 ? new Set() : await looselyThere(new Set([...words].map(looseName)), texts());
  const declared = words.size === 0 ? new Set() : await dependencies.find(words);
  const isKnown = (group: readonly string[]): boolean =>
    group.some((word) => declared.has(word) || there.has(looseName(word)));
  const certainty = isWhole && dependencies.isComplete() ? 'certain' : 'likely';
  return own
    .filter(({ groups }) => groups.some((group) => !isKnown(group)))
    .flatMap(({ claim }) => claim.places.filter(isNew))
    .map(({ path, line, column, endColumn, name: { name, kind } }) => {
      return { rule: 'unknown-name', place: { path, line, column, endColumn }, name, kind, certainty };
    });
}

/**
 * Whether a name that was found nowhere should be reported. Plain words in code font, names of packages, and flags in
 * command lines mostly belong to other software.
 */
function isOwnName(name: ClassifiedName, code: readonly CodeNow[]): boolean {
  switch (name.inCommand ? undefined : name.kind) {
    case undefined:
    case 'script':
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
function looseName(word: string): string {
  return word.replace(/[_-]/g, '').toLowerCase();
}

/** Returns the loose names that match some word of these texts. */
async function looselyThere(
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
