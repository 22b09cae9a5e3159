import { codeSpan } from './contextBlock';

/** How much of a page is searched for its title, in characters. */
const MAX_SEARCHED = 50_000;

/** The title of a page in Markdown, AsciiDoc or reStructuredText: in its front matter, or its first heading. */
export function pageTitle(page: string): string | undefined {
  const text = page
    .slice(0, MAX_SEARCHED)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');
  const end = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) : -1;
  const titled = /^title:[ \t]*(\S.*)$/m.exec(text.slice(0, Math.max(end, 0)))?.[1]?.trim();
  if (titled !== undefined) {
    return /^(["']).*\1$/.test(titled) ? titled.slice(1, -1) : titled;
  }
  const body = end === -1 ? text : text.slice(end + '\n---\n'.length);
  const [, marked, underlined] = /^(?:#{1,6}|=)[ \t]+(\S.*)$|^(\S.*)\n(?:={3,}|-{3,})$/m.exec(body) ?? [];
  return (marked ?? underlined)?.trim();
}

/** A page as a prompt names it: “`docs/a.md` (titled `Retries`)”. */
export function formatPage(path: string, title: string | undefined): string {
  return title === undefined ? codeSpan(path) : `${codeSpan(path)} (titled ${codeSpan(title)})`;
}
