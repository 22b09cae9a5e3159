import { type ContextBlock, placeName } from './contextBlock';
import { count, elide } from './elide';

/** A file or folder of a tree of names. */
export interface TreeEntry {
  /** Its path below the folder, parts joined by slashes. */
  path: string;
  isFolder: boolean;
  /** Why its content is not in the prompt, in a few words; undefined when it is, and for folders that were looked into. */
  leftOut?: string | undefined;
}

/** The names in a folder, each with what is not in the prompt of it. `unlisted` is true when there are more names. */
export function folderBlock(
  folder: { path: string; notes: readonly string[] },
  entries: readonly TreeEntry[],
  { budget, unlisted }: { budget: number; unlisted: boolean },
): ContextBlock {
  const files = entries.filter(({ isFolder }) => !isFolder);
  const inside = files.filter(({ leftOut }) => leftOut === undefined).length;
  const amount = `${count(files.length, 'file')}${unlisted ? ' listed, there are more' : ''}, ${inside.toLocaleString('en-US')} of them with content below`;
  return {
    heading: `Folder ${placeName({ path: folder.path })} (${amount})`,
    notes: folder.notes,
    languageId: 'text',
    text: elide(treeText(entries), budget),
  };
}

/** One line a name, each folder's below it and indented. */
function treeText(entries: readonly TreeEntry[]): string {
  const parts = (path: string): string[] => path.split('/');
  return entries
    .map((entry) => ({ ...entry, parts: parts(entry.path) }))
    .toSorted((a, b) => compareParts(a.parts, b.parts))
    .map(({ parts: names, isFolder, leftOut }) => {
      const name = (names.at(-1) ?? '').replace(/\s+/g, ' ');
      const why = leftOut === undefined ? '' : ` (${leftOut})`;
      return `${'  '.repeat(names.length - 1)}${name}${isFolder ? '/' : ''}${why}`;
    })
    .join('\n');
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [one, other] = [a[at], b[at]];
  if (one === undefined || other === undefined) {
    return a.length - b.length;
  }
  return one < other ? -1 : 1;
}
