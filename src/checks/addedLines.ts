import { CoverageCounter, type DependencyNames, type Repository } from './ports';
import { checkAddedNames } from './addedNames';
import { definedInExamples, type NameOnPage, namesOf, namesOnPage, pageText } from './collectNames';
import { checkCodeBlock } from './codeBlocks';
import { anchorsOf, type AnchorTest, checkLink, LinkIndex, linkReader } from './links';
import type { Coverage } from './finding';
import type { GoneCheck } from './goneNames';
import type { Page } from './pages/page';
import { readPage } from './pages/readPage';
import { pageFormat, pathRules } from './paths';
import { filterWhileTime, whileTime } from './whileTime';

export interface AddedCheck extends GoneCheck {
  base: string;
  head: string;
  dependencies: DependencyNames;
}

/** A page with added lines. */
interface ChangedPage {
  path: string;
  page: Page;
  names: NameOnPage[];
  isAdded: (line: number) => boolean;
}

/** Maximum number of pages whose anchors are read because links lead to them. */
const MAX_TARGETS = 5_000;

/** Checks the lines that were added to pages between two commits. */
export async function checkAddedLines(check: AddedCheck): Promise<Coverage> {
  const { configuration, listener, head } = check;
  const [own] = check.repositories;
  const counter = new CoverageCounter();
  const end = check.now() + check.limits.timeMs;
  const timeLeft = (): number => end - check.now();
  const hasTime = (): boolean => timeLeft() > 0;
  const tree = await own.tree(head);
  const changed = await readChanged(check, counter, hasTime);
  counter.pages = changed.length;
  listener.progress(0, changed.length + 1);
  const targets = {
    read: linkReader({ hosts: [], branches: [] }),
    index: new LinkIndex(tree.files.map((file) => file.path)),
    anchors: anchorReader(check, changed),
  };
  for (const [at, { path, page, isAdded }] of changed.entries()) {
    const links = page.links.filter(({ line }) => isAdded(line));
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
    listener.progress(at + 1, changed.length + 1);
  }
  const before = await namesBefore(check, changed, hasTime);
  const ignored = new Set(configuration.ignore.map(({ name }) => name));
  const names = changed.flatMap(({ path, page, names: all, isAdded }) => {
    const defined = definedInExamples(page);
    const isNew = ({ name }: NameOnPage): boolean =>
      before.get(path)?.has(name.name) === false &&
      !name.groups.some((group) => group.some((word) => defined.has(word)));
    return all
      .filter(({ line, name }) => isAdded(line) && !ignored.has(name.name))
      .map((onPage) => ({ onPage, isNew: isNew(onPage) }));
  });
  counter.names = names.length;
  await checkAddedNames({ check, names, tree, counter, hasTime, timeLeft });
  listener.progress(changed.length + 1, changed.length + 1);
  return counter.coverage();
}

async function readChanged(
  check: AddedCheck,
  counter: CoverageCounter,
  hasTime: () => boolean,
): Promise<ChangedPage[]> {
  const [own] = check.repositories;
  const rules = pathRules(check.configuration);
  const all = await own.addedLines(check.base, check.head);
  const added = await filterWhileTime(all, hasTime, ([path, lines]) => lines.size > 0 && rules.isDocument(path));
  counter.skip('files', added.length - check.limits.pages);
  const chosen = added.slice(0, check.limits.pages);
  const changed: ChangedPage[] = [];
  let at = 0;
  for await (const content of contentsOf(
    own,
    check.head,
    chosen.map(([path]) => path),
  )) {
    if (!hasTime()) {
      counter.skip('time', chosen.length - at);
      break;
    }
    const [path, lines] = chosen[at++] ?? ['', new Set<number>()];
    const format = pageFormat(path);
    const text = content === undefined ? undefined : pageText(content, counter, check.limits);
    if (text !== undefined && format !== undefined) {
      const page = readPage(text, format, { onlyCode: false });
      const names = rules.isPage(path) ? namesOf(page, path, () => false) : [];
      changed.push({ path, page, names, isAdded: (line) => lines.has(line) });
    }
  }
  return changed;
}

function contentsOf(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): AsyncIterable<Uint8Array | undefined> {
  return repository.contents(paths.map((path) => `${commit}:${path}`));
}

/** The names that were on each page before; nothing for a page that was too long, or for which there is no time. */
async function namesBefore(
  { repositories: [own], base, limits }: AddedCheck,
  changed: readonly ChangedPage[],
  hasTime: () => boolean,
): Promise<Map<string, Set<string>>> {
  const before = new Map<string, Set<string>>();
  let at = 0;
  const paths = changed.map(({ path }) => path);
  for await (const content of contentsOf(own, base, paths)) {
    if (!hasTime()) {
      break;
    }
    const path = paths[at++] ?? '';
    if (content === undefined || content.byteLength <= limits.pageBytes) {
      const names = content === undefined ? [] : namesOnPage(new TextDecoder().decode(content), path, () => false);
      before.set(path, new Set(names.map(({ name }) => name.name)));
    }
  }
  return before;
}

function anchorReader(
  { repositories: [repository], head, limits }: AddedCheck,
  changed: readonly ChangedPage[],
): (path: string) => Promise<AnchorTest> {
  const known = new Map<string, AnchorTest>();
  changed.forEach(({ path, page }) => known.set(path, anchorsOf(page)));
  return async (path) => {
    if (!known.has(path) && known.size < MAX_TARGETS) {
      for await (const content of contentsOf(repository, head, [path])) {
        const format = pageFormat(path);
        known.set(
          path,
          content === undefined || format === undefined || content.byteLength > limits.pageBytes
            ? undefined
            : anchorsOf(readPage(new TextDecoder().decode(content), format, { onlyCode: false })),
        );
      }
    }
    return known.get(path);
  };
}
