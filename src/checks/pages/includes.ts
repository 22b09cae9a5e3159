import { addLink } from './lines';
import type { Page } from './page';

/** Lines that show the text of another file: of MkDocs, VitePress (two forms), mdBook, and of imports in MDX. */
const INCLUDES: readonly RegExp[] = [
  /^\s*-+8<-+\s+["']([^"'\n]+)["']/,
  /^\s*<<<\s+([^\s{]+)/,
  /<!--\s*@include:\s*([^\s{>]+?)(?=[\s{]|-->)/,
  /(?<!\\)\{\{#(?:rustdoc_)?(?:include|playground)\s+([^}\s]+)/,
  /^(?:import|export)\s.*\bfrom\s+["'](?:!!raw-loader!)?([^"'\n]+\.\w+)(?:\?raw)?["']/,
];
const HAS_INCLUDE = /8<-|<<<|@include:|\{\{#|^(?:import|export)\s/;

/** Adds the files whose text a page shows, with a section as the fragment. Ranges of lines are left out. */
export function addIncludes(page: Page): void {
  for (const [index, line] of page.lines.entries()) {
    const short = line.slice(0, 1_000);
    const found = HAS_INCLUDE.test(short)
      ? INCLUDES.map((each) => each.exec(short)).find((each) => each !== null)
      : null;
    if (found) {
      const [whole, shown = ''] = found;
      const target = shown.replace(/(?::\d*){1,2}$/, '').replace(/:(?=[^/\\:]+$)/, '#');
      const column = found.index + whole.lastIndexOf(shown) + 1;
      addLink(page, 'include', target, index + 1, column, shown.length);
    }
  }
}
