import type { ChangedFile } from './changedFile';
import { harmless } from './harmless';

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000B': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** The line with which git begins the diff of a file, as a `LineReader` gives it. */
export function patchHeader({ path, from = path }: Pick<ChangedFile, 'path' | 'from'>): string {
  return harmless(`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`);
}

/** A path as git quotes it in a diff with `core.quotePath` off (git-config(1)). */
export function quoted(path: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is quoted
  const text = path.replace(/[\u0000-\u001F"\\\u007F]/g, (character) => {
    return ESCAPES[character] ?? `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`;
  });
  return text === path ? path : `"${text}"`;
}
