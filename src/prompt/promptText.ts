/** The prompt that a document makes: line breaks are line feeds, and nothing empty stands at either end. */
export function promptText(document: string): string {
  return document.replace(/\r\n?/g, '\n').trim();
}

/** A folder of the user's machine, and what a prompt says instead. */
export interface LocalFolder {
  /** Absolute, as the system writes it. */
  path: string;
  name: string;
}

/**
 * A text without where the folders lie on the user's machine: a path below one is told from there on, and the folder's
 * own by its name. `home`, which names the user, becomes `~`.
 */
export function withoutLocalPaths(text: string, folders: readonly LocalFolder[], home: string): string {
  const all = [
    ...folders.map(({ path, name }) => ({ path, below: '', itself: name })),
    { path: home, below: '~/', itself: '~' },
  ];
  return all
    .map((each) => ({ ...each, path: each.path.replace(/[/\\]+$/, '') }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => b.path.length - a.path.length)
    .reduce((told, { path, below, itself }) => {
      const pattern = path.split(/[/\\]/).map(escaped).join('[/\\\\]+');
      // A disk that begins with a letter knows no case.
      const flags = /^[a-z]:/i.test(path) ? 'gi' : 'g';
      const found = new RegExp(`(?:file:/{2,3}|(?<![\\w/\\\\]))${pattern}(?:([/\\\\]+)|(?![\\w-]))`, flags);
      return told.replace(found, (_, slash: string | undefined) => (slash === undefined ? itself : below));
    }, text);
}

function escaped(part: string): string {
  return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** How far Git looks, too (`buffer_is_binary` in its xdiff-interface.c). */
const LOOK = 8_000;

/** Whether bytes are no text: as Git tells it, by a NUL near the beginning, but for texts of two bytes a character. */
export function looksBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && bytes.subarray(0, LOOK).includes(0);
}

/** Whether a text was made of bytes that are none in its encoding: short pictures and archives have no NUL. */
export function looksGarbled(text: string): boolean {
  const head = text.slice(0, LOOK);
  const strange = head.match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0;
  return strange > head.length / 20;
}
