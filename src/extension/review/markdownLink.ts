/** What would be markup in the text of a link, or end it (CommonMark 0.31, sections 2.4 and 6). */
const MARKUP = /[\\`*_[\]<>~|&!$]+/g;

/** A title with the address that it leads to, as Markdown; the title reads as it is, and nothing in it is markup. */
export function markdownLink(title: string, address: string): string {
  const text = title
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKUP, (run) => `\\${Array.from(run).join('\\')}`);
  const target = address.replace(
    /[()<>\s\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `[${text}](${target})`;
}
