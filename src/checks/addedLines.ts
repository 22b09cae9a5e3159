import type { CoverageCounter, Tree } from './ports';
import { definedInExamples, type NameOnPage, namesOf, namesOnPage, pageText } from './collectNames';
import { checkCodeBlock } from './codeBlocks';
import { anchorsOf, type AnchorTest, checkLink, LinkIndex, linkReader } from './links';
import type { AddedRange, PagesCheck } from './checkPages';
import { checkMintlify } from './mintlify';
import type { Page } from './pages/page';
import { readPage } from './pages/readPage';
import { pageFormat, pathRules } from './paths';
import { type ScriptClaim, scriptsOnPage } from './scriptsOnPage';
import { whileTime } from './whileTime';

interface AddedCheck extends PagesCheck {
  range: AddedRange;
  /** Of the newer commit. */
  tree: Tree;
  counter: CoverageCounter;
  hasTime: () => boolean;
}

/** A page with added lines. */
interface ChangedPage {
  path: string;
  page: Page;
  names: NameOnPage[];
  scripts: ScriptClaim[];
  isAdded: (line: number) => boolean;
}

/** The names and scripts on added lines, and whether each name is new on its page, and not from an example. */
export interface AddedNames {
  names: NameOnPage[];
  scripts: ScriptClaim[];
  isNew: (name: NameOnPage) => boolean;
}

/** Checks the links and the code blocks on the lines that were added to pages, and returns the names on these lines. */
export async function checkAddedLines(check: AddedCheck): Promise<AddedNames> {
  const { configuration, listener, counter, tree, hasTime } = check;
  const [own] = check.repositories;
  const added = await own.addedLines(check.range.base, check.range.head);
  const changed = await readChanged(check, added);
  const sites = await checkMintlify(tree.files, (ids) => own.contents(ids));
  sites.findings
    .filter(({ place }) => added.get(place.path)?.has(place.line))
    .forEach((finding) => listener.finding(finding));
  counter.pages = changed.length;
  const targets = {
    read: linkReader({ hosts: [], branches: [] }),
    index: new LinkIndex(tree.files.map((file) => file.path)),
    anchors: anchorReader(check, changed),
  };
  for (const [at, { path, page, isAdded }] of changed.entries()) {
    const links = page.links.filter(({ line }) => isAdded(line) && !sites.pages.has(path));
    counter.links += links.length;
    const blocks = page.blocks.filter(({ text, line }) => text.split('\n').some((_, below) => isAdded(line + below)));
    const checks = [
      ...links.map((link) => () => checkLink(link, path, targets)),
      ...blocks.map((block) => () => checkCodeBlock(block, path)),
    ];
    for await (const find of whileTime(checks, hasTime)) {
      const finding = await find();
      if (finding !== undefined) {
        listener.finding(finding);
      }
    }
    if (!hasTime()) {
      counter.skip('time', changed.length - at);
      break;
    }
  }
  const before = await namesBefore(check, changed);
  const ignored = new Set(configuration.ignore.map(({ name }) => name));
  const fresh = new Set<NameOnPage>();
  const names = changed.flatMap(({ path, page, names: all, isAdded }) => {
    const defined = definedInExamples(page);
    const here = all.filter(({ line, name }) => isAdded(line) && !ignored.has(name.name));
    for (const each of here) {
      const isDefined = each.name.groups.some((group) => group.some((word) => defined.has(word)));
      if (before.get(path)?.has(each.name.name) === false && !isDefined) {
        fresh.add(each);
      }
    }
    return here;
  });
  const scripts = changed.flatMap(({ isAdded, ...page }) =>
    page.scripts.filter(({ place, shown }) => isAdded(place.line) && !ignored.has(shown)),
  );
  return { names, scripts, isNew: (name) => fresh.has(name) };
}

async function readChanged(check: AddedCheck, all: ReadonlyMap<string, Set<number>>): Promise<ChangedPage[]> {
  const {
    repositories: [own],
    range: { head },
    counter,
    hasTime,
  } = check;
  const rules = pathRules(check.configuration);
  const added = [...all].filter(([path, lines]) => lines.size > 0 && rules.isDocument(path));
  counter.skip('files', added.length - check.limits.pages);
  const chosen = added.slice(0, check.limits.pages);
  const changed: ChangedPage[] = [];
  let at = 0;
  for await (const content of own.contents(chosen.map(([path]) => `${head}:${path}`))) {
    if (!hasTime()) {
      counter.skip('time', chosen.length - at);
      break;
    }
    const [path, lines] = chosen[at++] ?? ['', new Set<number>()];
    const format = pageFormat(path);
    const text = content === undefined ? undefined : pageText(content, counter, check.limits);
    if (text !== undefined && format !== undefined) {
      const page = readPage(text, format);
      const names = rules.isPage(path) ? namesOf(page, path, () => false) : [];
      const scripts = rules.isPage(path) ? scriptsOnPage(page, path) : [];
      changed.push({ path, page, names, scripts, isAdded: (line) => lines.has(line) });
    }
  }
  return changed;
}

/** The names that were on each page before; nothing for a page that was too long, or for which there is no time. */
async function namesBefore(
  { repositories: [own], range: { base }, limits, hasTime }: AddedCheck,
  changed: readonly ChangedPage[],
): Promise<Map<string, Set<string>>> {
  const before = new Map<string, Set<string>>();
  let at = 0;
  for await (const content of own.contents(changed.map(({ path }) => `${base}:${path}`))) {
    if (!hasTime()) {
      break;
    }
    const path = changed[at++]?.path ?? '';
    if (content === undefined || content.byteLength <= limits.pageBytes) {
      const names = content === undefined ? [] : namesOnPage(new TextDecoder().decode(content), path, () => false);
      before.set(path, new Set(names.map(({ name }) => name.name)));
    }
  }
  return before;
}

function anchorReader(
  { repositories: [repository], range: { head }, limits }: AddedCheck,
  changed: readonly ChangedPage[],
): (path: string) => Promise<AnchorTest> {
  const known = new Map<string, AnchorTest>();
  changed.forEach(({ path, page }) => known.set(path, anchorsOf(page)));
  return async (path) => {
    if (!known.has(path)) {
      for await (const content of repository.contents([`${head}:${path}`])) {
        const format = pageFormat(path);
        known.set(
          path,
          content === undefined || format === undefined || content.byteLength > limits.pageBytes
            ? undefined
            : anchorsOf(readPage(new TextDecoder().decode(content), format)),
        );
      }
    }
    return known.get(path);
  };
}
