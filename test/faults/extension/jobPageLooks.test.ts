import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Entry, FileDiff, PageModel } from '../../../src/extension/features/job-page/model';
import { JobPageFixture, type PageOptions } from '../../support/jobPage/jobPageFixture';
import { SAMPLE_DIFF, SAMPLE_NOW, SAMPLE_START, SAMPLE_STEPS, samplePage } from '../../support/jobPage/samplePage';
import { scaled } from '../../support/scale';
import { checkoutRoot } from '../../support/vscode/paths';

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

const LOOKS: Readonly<Record<string, PageOptions>> = {
  dark: { theme: 'dark', width: 700 },
  light: { theme: 'light', width: 700 },
  'high contrast': { theme: 'highContrast', width: 700 },
  'high contrast light': { theme: 'highContrastLight', width: 700 },
  'forced colors': { theme: 'light', forcedColors: 'active' },
  'dark narrow': { theme: 'dark', width: 300 },
  'light narrow': { theme: 'light', width: 300 },
  'high contrast narrow': { theme: 'highContrast', width: 300 },
  'four times enlarged': { theme: 'dark', width: 320, height: 200 },
  wide: { theme: 'dark', width: 1600 },
};

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung';

/** All texts in long German words, and with a text direction of their own. */
function longPage(): PageModel {
  const page = samplePage({ language: 'de' });
  return {
    ...page,
    title: `${LONG_WORD} `.repeat(3),
    state: { ...page.state, text: LONG_WORD, notes: [LONG_WORD.repeat(3), 'הוראה עם abc (123) בסוף!'] },
    facts: [{ label: LONG_WORD, text: LONG_WORD, action: 'x' }, ...page.facts],
    actions: [{ id: 'long', label: `${LONG_WORD} ${LONG_WORD}` }, ...page.actions],
    timeline: {
      ...page.timeline,
      entries: page.timeline.entries.map((entry) => ({
        ...entry,
        title: LONG_WORD,
        text: `שלום\n${LONG_WORD.repeat(4)}`,
      })),
    },
    followUp: { placeholder: LONG_WORD, send: LONG_WORD, sendLater: LONG_WORD, refused: LONG_WORD.repeat(3) },
  };
}

const PICTURES = Array.from({ length: 4 }, (_, index) => ({ path: `assets/${index}.png`, kind: 'added' as const }));
const RENAMED = Array.from({ length: 30 }, (_, index) => ({
  ...{ path: `docs/a/${index}.md`, from: `docs/${index}.md`, kind: 'renamed' as const, added: 0, deleted: 0 },
}));

/** 200 failed polls and 30 follow-ups. */
function crowdedPage(): PageModel {
  const page = samplePage();
  const made = (index: number, kind: Entry['kind'], gap: number): Entry => ({
    ...{ id: `${kind} ${index}`, at: SAMPLE_START + index * gap, kind, tone: 'plain', title: kind, text: `${index}` },
  });
  const polls = Array.from({ length: 200 }, (_, index) => made(index, 'pollFailed', 15_000));
  const prompts = Array.from({ length: 30 }, (_, index) => made(index, 'followUp', 100_000));
  const entries = [...polls, ...prompts].toSorted((a, b) => a.at - b.at);
  return { ...page, timeline: { ...page.timeline, entries } };
}

describe('the job page, appearance and accessibility', function () {
  let bench: JobPageFixture;
  let axe: string;
  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(join(checkoutRoot, 'out', 'screenshots'), { recursive: true });
    bench = await JobPageFixture.start();
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    // axe waits with timers, and time stands still on this page.
    await page.clock.resume();
    const found = await page.evaluate<Violation[]>(`axe.run().then(({ violations }) => violations)`);
    return found.map(
      ({ id, impact, nodes }) =>
        `${id} (${impact ?? ''}): ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`,
    );
  }

  for (const [name, options] of Object.entries(LOOKS)) {
    it(`has no violations and no horizontal overflow: ${name}`, async () => {
      for (const [kind, model] of Object.entries({ sample: samplePage(), long: longPage(), crowded: crowdedPage() })) {
        const { page, show, tell, complaints } = await bench.open(options);
        await show(model);
        await tell({ type: 'diff', files: SAMPLE_DIFF });
        await tell({ type: 'notKept', why: 'The disk is full. The text is still here.' });
        const beside = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        ok(beside <= 0, `${beside} pixels are beside the window`);
        deepStrictEqual(complaints, []);
        // The other models differ only in size and take seconds each.
        if (kind === 'sample' || name === 'dark narrow' || scaled(0, 1) === 1) {
          const path = join(checkoutRoot, 'out', 'screenshots', `jobPage-${name.replaceAll(' ', '-')}-${kind}.png`);
          // For people to look at. A browser that is short of memory refuses to capture a tall page.
          await page.screenshot({ path, fullPage: true }).catch(() => undefined);
          deepStrictEqual(await violations(page), []);
        }
      }
    });
  }

  it('uses a small script and a small style sheet', async () => {
    ok((await stat(join(checkoutRoot, 'dist', 'jobPage.js'))).size < 60_000);
    ok((await stat(join(checkoutRoot, 'dist', 'jobPage.css'))).size < 20_000);
  });

  it('draws runs to scale, with at least 40% of the bar for them when days lie between them', async () => {
    const { page, show } = await bench.open();
    await show(samplePage());
    const widths = (selector: string): Promise<number[]> =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('${selector}')].map((each) => each.getBoundingClientRect().width)`,
      );
    const [first = 0, second = 0, third = 0] = await widths('.bar .running');
    ok(
      Math.abs(first / second - 13 / 7) < 0.05 && Math.abs(first / third - 13 / 9) < 0.05,
      `${first} ${second} ${third}`,
    );
    const [bar = 0] = await widths('.bar');
    ok((first + second + third) / bar > 0.4, `${first + second + third} of ${bar} pixels`);
  });

  it('extends the running bar once a second while the page is visible, and stops after the end', async () => {
    const { page, show } = await bench.open();
    await show(samplePage());
    await page.clock.runFor(100);
    const running = page.locator('.bar .running').last();
    strictEqual(await running.getAttribute('title'), 'Running 9 min');
    await page.clock.runFor(5000);
    strictEqual(await running.getAttribute('title'), 'Running 9 min 5 sec');
    const run = { kind: 'running' as const, from: SAMPLE_START, to: SAMPLE_NOW, text: 'Run' };
    await show(samplePage({ timeline: { from: SAMPLE_START, to: SAMPLE_NOW, spans: [run], entries: [] } }));
    const drawn = await page.locator('.timeline').innerHTML();
    await page.clock.runFor(60_000);
    strictEqual(await page.locator('.timeline').innerHTML(), drawn);
  });

  const SENTENCE = 'Die Seite über Anfragebegrenzungen beschreibt jetzt, wie oft eine Anfrage wiederholt wird. ';
  const longText: Partial<PageModel> = {
    language: 'de',
    title: SENTENCE.repeat(3),
    state: {
      text: 'Änderungen sind bereit',
      tone: 'good',
      notes: [SENTENCE.repeat(3), 'Zuletzt vor 20 Sekunden geprüft.', 'Der Folge-Prompt wartet.'],
    },
  };
  for (const [what, model] of Object.entries({
    'a short summary': samplePage(),
    'a long summary and title, and notes, in German': samplePage({
      ...longText,
      story: { ...samplePage().story!, summary: SENTENCE.repeat(60) },
    }),
    'a long summary of many lines': samplePage({
      story: { ...samplePage().story!, summary: '- One more line of it.\n\n'.repeat(100) },
    }),
    'pictures and renamed files that come first by name': samplePage({
      changes: { ...samplePage().changes!, files: [...PICTURES, ...RENAMED, ...samplePage().changes!.files] },
    }),
  })) {
    // The room that a window of 1400 by 900 pixels leaves for an editor.
    it(`shows the first changed word without scrolling, above the follow-up box, below ${what}`, async () => {
      const { page, show, tell } = await bench.open({ width: 1040, height: 800 });
      await show(model);
      await tell({
        type: 'diff',
        files: [...PICTURES.map(({ path }) => ({ ...SAMPLE_DIFF.at(-1)!, path })), ...SAMPLE_DIFF],
      });
      const word = await page.locator('.changes del').first().boundingBox();
      const dock = await page.locator('.dock').boundingBox();
      await page.screenshot({
        path: join(checkoutRoot, 'out', 'screenshots', `jobPage-first-word-${what.replaceAll(/[ ,]+/g, '-')}.png`),
      });
      ok(word !== null && dock !== null && word.y + word.height < dock.y, JSON.stringify([word, dock]));
    });
  }

  it('shows 50 files, one of them with as much text as fits, but renders only the first paragraphs at once', async () => {
    const { page, show, tell } = await bench.open({ width: 1400, height: 900 });
    const { changes } = samplePage();
    const files = Array.from({ length: 50 }, (_, index) => ({ ...changes!.files[0]!, path: `docs/page-${index}.md` }));
    const paragraphs = (count: number, name: string): FileDiff['paragraphs'] =>
      Array.from({ length: count }, (_, index) => [
        { kind: 'kept', text: `${name} ${index} ` },
        { kind: 'deleted', text: 'old' },
        { kind: 'inserted', text: 'new' },
      ]);
    const diff = files.map(({ path }, index) => ({
      ...{ path, isCut: index === 7 },
      paragraphs: paragraphs(index === 7 ? 500 : 9, path),
    }));
    await show(samplePage({ changes: { ...changes!, files } }));
    await tell({ type: 'diff', files: diff });
    strictEqual(await page.locator('.file').count(), 50);
    strictEqual(await page.locator('.paragraph').count(), 40);
    ok((await page.locator('main *').count()) < 1500);
    await page.getByRole('button', { name: 'Show 500 changed paragraphs' }).click();
    strictEqual(await page.locator('.paragraph').count(), 540);
    ok((await page.locator('main *').count()) < 4000);
    // What is out of view costs no layout.
    strictEqual(
      await page
        .locator('.paragraph')
        .last()
        .evaluate('getComputedStyle(document.querySelector(".paragraph")).contentVisibility'),
      'auto',
    );
  });

  it('renders a thousand steps once, then only the new ones', async () => {
    const { page, show } = await bench.open();
    const steps = Array.from({ length: 1000 }, (_, index) => ({ ...SAMPLE_STEPS[index % 10]!, id: `many ${index}` }));
    const withSteps = (count: number): PageModel => {
      const page = samplePage();
      return {
        ...page,
        story: { ...page.story!, turns: [{ turn: 3, from: SAMPLE_START, steps: steps.slice(0, count) }] },
      };
    };
    await show(withSteps(999));
    strictEqual(await page.locator('.step').count(), 999);
    ok((await page.locator('.step *').count()) < 999 * 12);
    await page.evaluate(`
      window.changed = 0;
      new MutationObserver((all) => (window.changed += all.length))
        .observe(document.querySelector('.scroll'), { subtree: true, childList: true, attributes: true, characterData: true });
    `);
    await show(withSteps(1000));
    strictEqual(await page.locator('.step').count(), 1000);
    strictEqual(await page.evaluate('window.changed'), 1);
  });

  it('announces a new state and the outcome of sending in regions that stay', async () => {
    const { page, show, tell } = await bench.open();
    const sample = samplePage();
    await show(sample);
    const [state, told] = await page.getByRole('status').elementHandles();
    await show({ ...sample, state: { ...sample.state, text: 'Changes ready' } });
    strictEqual((await state?.innerText())?.trim(), 'Changes ready');
    const box = page.getByRole('textbox', { name: 'Follow-up' });
    await box.fill('one');
    await box.press('Control+Enter');
    strictEqual((await told?.innerText())?.trim(), sample.words.sending);
    await tell({ type: 'notKept', why: 'The disk is full.' });
    strictEqual((await told?.innerText())?.trim(), 'The disk is full.');
  });

  it('announces new activity to screen readers politely and not too often', async () => {
    const { page, show } = await bench.open();
    const withSteps = (count: number): PageModel => {
      const page = samplePage();
      return { ...page, story: { ...page.story!, turns: [{ turn: 3, from: 0, steps: SAMPLE_STEPS.slice(0, count) }] } };
    };
    const log = page.locator('[role=log]');
    await show(withSteps(2));
    await page.clock.runFor(100);
    strictEqual(await log.innerText(), '');
    await show(withSteps(3));
    await page.clock.runFor(100);
    strictEqual(await log.locator('p').count(), 1);
    for (let count = 4; count <= 10; count += 1) {
      await show(withSteps(count));
      await page.clock.runFor(100);
    }
    strictEqual(await log.locator('p').count(), 1);
    await page.clock.runFor(5000);
    deepStrictEqual(await log.locator('p').count(), 2);
    ok((await log.locator('p').last().innerText()).startsWith('A link was broken.'));
  });
});
