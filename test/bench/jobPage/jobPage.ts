import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { FileDiff, ToPage } from '../../../src/extension/features/job-page/model';
import type { JobChanges } from '../../../src/protocol/changes';
import { diffSummary } from '../../../src/git/diff';
import { Git } from '../../../src/git/git';
import { ENGLISH } from '../../../src/local-service/review/language';
import { renderReviewPage } from '../../../src/local-service/review/reviewPage';
import { plain } from '../../support/codedText';
import { JobPageFixture } from '../../support/jobPage/jobPageFixture';
import { samplePage } from '../../support/jobPage/samplePage';
import { git } from '../../support/temporaryRepository';
import { ensureNode } from '../../support/vscode/install';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { type Figure, figure } from '../figures';

const FILES = 50;
/** Changed lines of the long file, and of each other one. */
const LONG = 5_000;
const SHORT = 20;

/** How long it may take until the page can be used, and the longest task, in milliseconds. */
const MAX_USABLE_MS = 1_000;
const MAX_TASK_MS = 50;

interface ReadDiff {
  changes: JobChanges;
  files: FileDiff[];
  tookMs: number;
  longestMs: number;
}

interface Shown {
  /** From the start of loading to the frame with the first changed word. */
  usableMs: number;
  /** While it loads, unfolds the long file, and is scrolled to its end. Includes style, layout and paint. */
  longestMs: number;
  /** The same in processor time, which other processes don’t prolong. */
  busyMs: number;
}

/** Measures what the pages of a job with a very large change cost, from git to the screen. */
export function measureJobPage(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  return withTemporaryFolder(async (folder) => {
    const { base, commit } = await changedRepository(folder);
    const fixture = await JobPageFixture.start();
    try {
      const reads: ReadDiff[] = [];
      const floor: number[] = [];
      const ours: Shown[] = [];
      const bare: Shown[] = [];
      const review: Shown[] = [];
      const reviewPage = await renderReview(folder, base, commit);
      for (let round = 0; round < rounds; round += 1) {
        const read = await readDiff(folder, base, commit);
        reads.push(read);
        floor.push(await plainDiff(folder, base, commit));
        ours.push(await showPage(fixture, read));
        bare.push(await showDocument(fixture.browser, bareDocument(read.files), 'p'));
        review.push(await showDocument(fixture.browser, reviewPage, 'tr ins'));
      }
      const about = `${FILES} changed files, one of them with ${LONG.toLocaleString('en')} changed lines. The tasks include unfolding that file on the job page, and scrolling to the end. The bare page is HTML with the paragraphs of the job page, unmarked.`;
      return {
        figures: [...toFigures(reads, floor, ours, bare), ...toPageFigures('review page', review, bare)],
        about,
      };
    } finally {
      await fixture.close();
    }
  });
}

function toFigures(
  reads: readonly ReadDiff[],
  floor: readonly number[],
  ours: readonly Shown[],
  bare: readonly Shown[],
): Figure[] {
  return [
    figure({
      ...{ name: 'read and compared', unit: 'ms', ours: reads.map(({ tookMs }) => tookMs) },
      peer: { name: '`git diff` to /dev/null', measured: floor },
    }),
    figure({
      ...{ name: 'longest task while comparing', unit: 'ms', ours: reads.map(({ longestMs }) => longestMs) },
      wanted: { of: 'median', most: MAX_TASK_MS },
    }),
    ...toPageFigures('job page', ours, bare),
  ];
}

function toPageFigures(name: string, ours: readonly Shown[], bare: readonly Shown[]): Figure[] {
  const against = (of: (shown: Shown) => number) => ({
    ...({ unit: 'ms', ours: ours.map(of), peer: { name: 'a bare page', measured: bare.map(of) } } as const),
  });
  return [
    figure({
      ...against(({ usableMs }) => usableMs),
      name: `${name}: first changed word on the screen`,
      wanted: { of: 'median', most: MAX_USABLE_MS },
    }),
    figure({
      ...against(({ longestMs }) => longestMs),
      name: `${name}: longest task`,
      by: 'best',
      wanted: { of: 'best', most: MAX_TASK_MS },
    }),
    figure({
      ...against(({ busyMs }) => busyMs),
      name: `${name}: the same in processor time`,
      wanted: { of: 'median', most: MAX_TASK_MS },
    }),
  ];
}

async function changedRepository(folder: string): Promise<{ base: string; commit: string }> {
  await mkdir(join(folder, 'docs'), { recursive: true });
  const write = (word: string) =>
    Promise.all(
      Array.from({ length: FILES }, (_, index) => {
        // A quarter of the lines is blank, and so unchanged.
        const lines = Array.from({ length: Math.ceil(((index === 0 ? LONG : SHORT) * 4) / 3) }, (_line, line) =>
          // Blank lines make paragraphs of a few lines, as in prose.
          line % 4 === 3 ? '\n' : `Line ${line} says that a request is sent ${word} at most, and how long it waits.\n`,
        );
        return writeFile(join(folder, 'docs', `page-${index}.md`), lines.join(''));
      }),
    );
  await git(folder, 'init', '--quiet');
  const commitAll = async (): Promise<string> => {
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Pages');
    return (await git(folder, 'rev-parse', 'HEAD')).trim();
  };
  await write('three times');
  const base = await commitAll();
  await write('four or five times');
  return { base, commit: await commitAll() };
}

async function readDiff(folder: string, base: string, commit: string): Promise<ReadDiff> {
  const loader = pathToFileURL(join(checkoutRoot, 'node_modules/tsx/dist/esm/index.mjs')).href;
  const script = join(checkoutRoot, 'test/bench/jobPage/readDiff.ts');
  return JSON.parse(
    await runChecked(await ensureNode(), ['--import', loader, script, folder, base, commit]),
  ) as ReadDiff;
}

async function plainDiff(folder: string, base: string, commit: string): Promise<number> {
  const start = performance.now();
  await runChecked('git', ['-C', folder, 'diff', '--unified=0', '--output=/dev/null', base, commit]);
  return performance.now() - start;
}

async function showPage(fixture: JobPageFixture, { changes, files }: ReadDiff): Promise<Shown> {
  const page = samplePage();
  const listed = changes.files.map(({ path, kind, added, deleted }) => ({
    ...{ path, kind, added: added ?? undefined, deleted: deleted ?? undefined },
  }));
  const model = { ...page, changes: { ...page.changes!, files: listed } };
  const messages: ToPage[] = [
    { type: 'model', model },
    { type: 'diff', files },
  ];
  return traced(fixture.browser, async () => {
    const opened = await fixture.open({ width: 1400, height: 900, isTimed: true, messages });
    const usableMs = await painted(opened.page, '.changes ins');
    await opened.page
      .getByRole('button', { name: /^Show \d+ changed paragraphs$/ })
      .first()
      .click();
    await scrollToEnd(opened.page);
    await fixture.closePages();
    return usableMs;
  });
}

function bareDocument(files: readonly FileDiff[]): string {
  const texts = files.flatMap(({ paragraphs }) =>
    paragraphs.map(({ parts }) => `<p>${parts.map(({ text }) => text).join('')}</p>`),
  );
  return `<!doctype html><meta charset="utf-8"><title>Bare</title>${texts.join('\n')}`;
}

async function renderReview(folder: string, base: string, commit: string): Promise<string> {
  const compared = [base, commit];
  const where = { git: new Git(process.env), place: { folder }, signal: new AbortController().signal };
  const { files, more } = await diffSummary(where, compared);
  const page = await renderReviewPage({
    ...{ status: 'completed', review: 'open', turns: [{ prompt: 'Raise the limit', state: 'done', summary: 'Done.' }] },
    ...{ repository: folder, folder, branch: 'docs-agent/limits', baseBranch: 'main', token: '', script: '' },
    ...{ baseCommit: base, comparedWith: base, commit, language: ENGLISH, check: undefined },
    merge: { text: plain('One commit.'), into: 'main', head: base },
    files,
    more,
    diff: await git(folder, 'diff', ...compared),
  });
  return page.html;
}

/** Shows a page that needs no script. */
function showDocument(browser: Browser, body: string, first: string): Promise<Shown> {
  return traced(browser, async () => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    await page.route('http://page.test/', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
    await page.goto('http://page.test/', { waitUntil: 'commit' });
    const usableMs = await painted(page, first);
    await page.waitForLoadState('load');
    await scrollToEnd(page);
    await context.close();
    return usableMs;
  });
}

/** Resolves with the time from the start of loading to the frame that shows the element, in milliseconds. */
function painted(page: Page, selector: string): Promise<number> {
  // Passed as text because it runs in the page, whose types are not the types of these sources.
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    look();
  })`);
}

/** Scrolls as with the wheel, by most of a screen in each frame. */
function scrollToEnd(page: Page): Promise<void> {
  return page.evaluate(`new Promise((resolve) => {
    const next = () => {
      const before = scrollY;
      scrollBy(0, innerHeight * 0.8);
      scrollY === before ? resolve() : requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Wall-clock and processor time, in microseconds. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** Measures the longest task of the main thread of any page meanwhile. */
async function traced(browser: Browser, use: () => Promise<number>): Promise<Shown> {
  await browser.startTracing(undefined, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  const usableMs = await use();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)));
  const longest = (of: (event: TraceEvent) => number | undefined): number =>
    Math.max(...tasks.map((task) => (of(task) ?? 0) / 1_000));
  return { usableMs, longestMs: longest(({ dur }) => dur), busyMs: longest(({ tdur }) => tdur) };
}
