import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type {
  ActivityStep,
  Entry,
  FromPage,
  PageModel,
  Paragraph,
  SavedState,
} from '../../../src/extension/features/job-page/model';
import { hostileTexts } from '../../support/hostileText';
import { JobPageFixture, type OpenPage, type PageOptions } from '../../support/jobPage/jobPageFixture';
import { SAMPLE_DIFF, SAMPLE_STEPS, samplePage } from '../../support/jobPage/samplePage';
import { checkoutRoot } from '../../support/vscode/paths';
import { hostileTexts as hostileMarkup } from '../local-service/hostileHtml';

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

const SCREENSHOTS = join(checkoutRoot, 'out', 'screenshots');

const LOOKS: Readonly<Record<string, PageOptions>> = {
  dark: { theme: 'dark', width: 700 },
  light: { theme: 'light', width: 700 },
  'high contrast': { theme: 'highContrast', width: 700 },
  'high contrast light': { theme: 'highContrastLight', width: 700 },
  'forced colors': { theme: 'light', forcedColors: 'active' },
  narrow: { theme: 'dark', width: 300 },
  'four times enlarged': { theme: 'light', width: 320, height: 200 },
};

const LONG = Array.from({ length: 60 }, (_, line) => `Line ${line + 1} of a long prompt.`).join('\n');
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung';
const SENTENCE = 'Die Seite über Anfragebegrenzungen beschreibt jetzt, wie oft eine Anfrage wiederholt wird. ';

function withPrompt(text: string): PageModel {
  const page = samplePage();
  const [first, ...others] = page.history;
  return { ...page, history: [{ ...first!, text }, ...others] };
}

function withSteps(count: number, summary?: ActivityStep): PageModel {
  const { length } = SAMPLE_STEPS;
  const steps = Array.from({ length: count }, (_, index) => ({ ...SAMPLE_STEPS[index % length]!, id: index }));
  return { ...samplePage(), activity: { ...samplePage().activity!, summary, turns: [{ turn: 3, steps }] } };
}

/** All texts in long German words, and with a text direction of their own. */
function longPage(): PageModel {
  const page = samplePage();
  return {
    ...page,
    title: `${LONG_WORD} `.repeat(3),
    state: { ...page.state, text: LONG_WORD, notes: [LONG_WORD.repeat(3), 'הוראה עם abc (123) בסוף!'] },
    facts: [{ label: LONG_WORD, text: LONG_WORD, action: 'x' }, ...page.facts],
    actions: [{ id: 'long', label: `${LONG_WORD} ${LONG_WORD}` }, ...page.actions],
    history: page.history.map((entry): Entry => ({
      ...entry,
      ...{ title: LONG_WORD, note: LONG_WORD, why: LONG_WORD, text: `שלום\n${LONG_WORD.repeat(4)}` },
    })),
    followUp: {
      effects: [LONG_WORD.repeat(3)],
      placeholder: LONG_WORD,
      send: LONG_WORD,
      sendLater: LONG_WORD,
      refused: LONG_WORD.repeat(3),
    },
  };
}

describe('the job page', function () {
  let bench: JobPageFixture;
  let axe: string;
  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(SCREENSHOTS, { recursive: true });
    bench = await JobPageFixture.start();
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  const openSample = async (model = samplePage(), options: PageOptions = {}): Promise<OpenPage> => {
    const open = await bench.open(options);
    await open.show(model);
    return open;
  };
  const box = ({ page }: OpenPage): Locator => page.getByRole('textbox', { name: 'Follow-up' });
  const status = ({ page }: OpenPage): Promise<string> => page.locator('#status').innerText();
  const received = async (open: OpenPage, type: FromPage['type']): Promise<FromPage[]> =>
    (await open.told()).filter((each) => each.type === type);
  const saved = async (open: OpenPage): Promise<SavedState> => {
    await open.page.clock.runFor(500);
    return (await open.state()) as SavedState;
  };

  describe('as it looks', () => {
    async function violations(page: Page): Promise<string[]> {
      await page.evaluate(axe);
      // axe waits with timers, and time stands still on this page.
      await page.clock.resume();
      const found = await page.evaluate<Violation[]>(`axe.run().then(({ violations }) => violations)`);
      return found.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary = '' }) => html + failureSummary).join('\n')}`,
      );
    }

    for (const [name, options] of Object.entries(LOOKS)) {
      it(`is accessible and fits into the window: ${name}`, async () => {
        for (const [kind, model] of Object.entries({ sample: samplePage(), long: longPage() })) {
          const language = kind === 'long' ? 'de' : 'en';
          const { page, show, tell, complaints } = await bench.open({ ...options, language });
          await show(model);
          await tell({ type: 'diff', files: SAMPLE_DIFF });
          await tell({ type: 'notSaved', why: 'The disk is full. The text is still here.' });
          ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0, kind);
          deepStrictEqual(complaints, []);
          if (kind === 'sample') {
            const path = join(SCREENSHOTS, `jobPage-${name.replaceAll(' ', '-')}.png`);
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

    const pictures = Array.from({ length: 4 }, (_, index) => ({ path: `assets/${index}.png`, kind: 'added' as const }));
    const activity = samplePage().activity!;
    for (const [what, model] of Object.entries({
      'a short summary': samplePage(),
      'a long summary and title, and notes, in German': samplePage({
        ...{
          title: SENTENCE.repeat(3),
          activity: { ...activity, summary: { ...activity.summary!, text: SENTENCE.repeat(60) } },
        },
        state: {
          text: 'Änderungen sind bereit',
          tone: 'good',
          notes: [SENTENCE.repeat(3), 'Der Folge-Prompt wartet.'],
        },
      }),
      'pictures that come first by name': samplePage({
        changes: { ...samplePage().changes!, files: [...pictures, ...samplePage().changes!.files] },
      }),
    })) {
      // The room that a window of 1400 by 900 pixels leaves for an editor.
      it(`shows the first changed word without scrolling, above the follow-up box, below ${what}`, async () => {
        const { page, tell } = await openSample(model, { width: 1040, height: 800, language: 'de' });
        await tell({
          type: 'diff',
          files: [...pictures.map(({ path }) => ({ ...SAMPLE_DIFF.at(-1)!, path })), ...SAMPLE_DIFF],
        });
        const word = await page.locator('.changes del').first().boundingBox();
        const dock = await page.locator('.dock').boundingBox();
        ok(word !== null && dock !== null && word.y + word.height < dock.y, JSON.stringify([word, dock]));
      });
    }
  });

  describe('with its state', () => {
    it('reports that it is ready, and saves which job it shows, and what is expanded', async () => {
      const open = await bench.open();
      deepStrictEqual(await open.told(), [{ type: 'ready' }]);
      deepStrictEqual(await open.state(), { jobKey: 'key "1"', folds: [], scroll: 0 });
      await open.show(withPrompt(LONG));
      await open.page.getByRole('button', { name: 'Show All' }).first().click();
      const { jobKey, folds } = await saved(open);
      deepStrictEqual([jobKey, folds], ['key "1"', ['entry prompt']]);
    });

    it('restores its folds and scroll positions', async () => {
      const state = { jobKey: 'key "1"', folds: ['entry prompt'], scroll: 300, activityScroll: 10 };
      const open = await openSample({ ...withSteps(60), history: withPrompt(LONG).history }, { state });
      ok((await open.page.locator('.entries').innerText()).includes('Line 60 of'));
      strictEqual(await open.page.evaluate('scrollY'), 300);
      strictEqual(await open.page.evaluate('document.querySelector(".scroll").scrollTop'), 10);
    });

    it('keeps text, selection, focus, folds and scroll positions when a new model arrives', async () => {
      const page = { ...withSteps(60), history: withPrompt(LONG).history };
      const open = await openSample(page);
      await open.page.clock.runFor(100);
      await open.page.getByRole('button', { name: 'Show All' }).first().click();
      await box(open).fill('half a sen');
      await open.page.evaluate('document.activeElement.setSelectionRange(2, 5)');
      await scrollActivity(open, 5);
      await open.show({ ...page, title: 'New', actions: [], activity: { ...page.activity!, plan: [], earlier: 3 } });
      const after = await open.page.evaluate(`(() => {
        const box = document.activeElement;
        return [box.id, box.value, box.selectionStart, box.selectionEnd, document.querySelector('.scroll').scrollTop];
      })()`);
      deepStrictEqual(after, ['prompt', 'half a sen', 2, 5, 5]);
      ok((await open.page.locator('.entries').innerText()).includes('Line 60 of'));
    });

    it('scrolls the activity along only if it is at the end', async () => {
      const open = await openSample(withSteps(60));
      const gap = '((box) => box.scrollHeight - box.clientHeight - box.scrollTop)(document.querySelector(".scroll"))';
      await open.show(withSteps(70));
      ok((await open.page.evaluate<number>(gap)) <= 1);
      await open.page.clock.runFor(100);
      await scrollActivity(open, 40);
      await open.show(withSteps(80));
      strictEqual(await open.page.evaluate('document.querySelector(".scroll").scrollTop'), 40);
    });

    const scrollActivity = ({ page }: OpenPage, top: number): Promise<unknown> =>
      page.evaluate(`new Promise((done) => {
        const box = document.querySelector('.scroll');
        box.addEventListener('scroll', done, { once: true });
        box.scrollTop = ${top};
      })`);
  });

  describe('with its follow-up box', () => {
    it('shows the saved draft, whether it arrives before or after the model, and reports each keystroke', async () => {
      const early = await bench.open();
      await early.tell({ type: 'draft', text: 'left', lastReceived: '' });
      await early.show(samplePage());
      strictEqual(await box(early).inputValue(), 'left');
      const late = await openSample();
      await box(late).fill('typed');
      deepStrictEqual(await received(late, 'draft'), [{ type: 'draft', text: 'typed' }]);
      await late.tell({ type: 'draft', text: 'left', lastReceived: '' });
      strictEqual(await box(late).inputValue(), 'left\n\ntyped');
      deepStrictEqual((await received(late, 'draft')).at(-1), { type: 'draft', text: 'left\n\ntyped' });
      await late.tell({ type: 'draft', text: 'elsewhere', lastReceived: 'left\n\ntyped' });
      strictEqual(await box(late).inputValue(), 'elsewhere');
      strictEqual((await received(late, 'draft')).length, 2);
    });

    it('sends once with Ctrl+Enter, and is cleared when the prompt has been saved', async () => {
      const open = await openSample();
      await box(open).fill('Use British spelling.');
      for (const key of ['Enter', 'Control+Enter', 'Control+Enter', 'Meta+Enter']) {
        await box(open).press(key);
      }
      await open.page.locator('.dock').getByRole('button', { name: 'Send Now' }).dispatchEvent('click');
      deepStrictEqual(await received(open, 'send'), [{ type: 'send', text: 'Use British spelling.\n' }]);
      strictEqual(await status(open), 'Sending…');
      await open.tell({ type: 'saved', text: 'Use British spelling.\n' });
      strictEqual(await box(open).inputValue(), '');
      deepStrictEqual((await received(open, 'draft')).at(-1), { type: 'draft', text: '' });
    });

    it('does not send during IME composition, an empty prompt, or when follow-ups are not possible', async () => {
      const open = await openSample();
      await box(open).fill('  \n ');
      await box(open).press('Control+Enter');
      strictEqual(await status(open), 'Write what the agent is to do next.');
      await box(open).fill('にほ');
      await open.page.evaluate(`document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
      )`);
      const { followUp } = samplePage();
      await open.show(samplePage({ followUp: { ...followUp, refused: 'The job was archived.' } }));
      await box(open).press('Control+Enter');
      await open.page.getByRole('button', { name: 'Send After This Run' }).dispatchEvent('click');
      deepStrictEqual([await status(open), await box(open).inputValue()], ['The job was archived.', 'にほ']);
      deepStrictEqual(await received(open, 'send'), []);
    });

    it('describes what sending does, even after text was typed', async () => {
      const open = await openSample();
      await box(open).fill('x');
      const described = await box(open).getAttribute('aria-describedby');
      const texts = described!.split(' ').map((id) => open.page.locator(`#${id}`).textContent());
      deepStrictEqual(await Promise.all(texts), ['', samplePage().followUp.effects.join('')]);
    });

    it('gets the request of a check below the typed text, once, and never sends it by itself', async () => {
      const open = await openSample();
      await box(open).fill('Use British spelling.');
      const button = open.page.getByRole('button', { name: 'Ask the Agent to Fix…' });
      await button.press('Enter');
      await button.click();
      const text = `Use British spelling.\n\n${samplePage().check?.request ?? ''}`;
      strictEqual(await box(open).inputValue(), text);
      strictEqual(await open.page.evaluate('document.activeElement.id'), 'prompt');
      deepStrictEqual([await received(open, 'send'), (await open.told()).at(-1)], [[], { type: 'draft', text }]);
    });
  });

  describe('as it is operated', () => {
    it('moves the focus in the visual order, and shows what it opens above the dock', async () => {
      const { page } = await openSample();
      await page.locator('details summary').press('Enter');
      const bounds = `['.facts', '.dock'].map((name) => document.querySelector(name).getBoundingClientRect())`;
      await page.waitForFunction(`(([facts, dock]) => facts.bottom <= dock.top)(${bounds})`);
      await page.locator('.facts button').last().press('Tab');
      ok(await page.evaluate(`document.querySelector('.dock button').matches(':focus')`));
    });

    it('can be operated entirely with the keyboard', async () => {
      const open = await openSample();
      const reached: string[] = [];
      for (let presses = 0; presses < 60 && reached.at(-1) !== 'Send After This Run'; presses += 1) {
        await open.page.keyboard.press('Tab');
        const name = await open.page.evaluate<string>(
          'document.activeElement.textContent || document.activeElement.id',
        );
        reached.push(name);
        if (name === 'Details' || name === 'Discard' || name.endsWith('retries.mdx')) {
          await open.page.keyboard.press('Enter');
        }
      }
      const names = [
        'Open Pull Request',
        'More…',
        'acme/handbook#42',
        'docs/guides/retries.mdx',
        'prompt',
        'job_01J9Z6',
      ];
      deepStrictEqual(
        names.filter((name) => !reached.includes(name)),
        [],
      );
      deepStrictEqual((await open.told()).slice(1), [
        { type: 'openFile', path: 'docs/guides/retries.mdx' },
        { type: 'action', id: 'discard', entry: 'follow 3' },
      ]);
    });

    it('leaves actions to the extension', async () => {
      const open = await openSample();
      await open.page.getByRole('button', { name: 'More…' }).click();
      deepStrictEqual((await open.told()).slice(1), [{ type: 'action', id: 'more' }]);
    });

    it('opens files from the activity only if it can show their changes', async () => {
      const open = await openSample();
      const files = open.page.locator('section.activity .files');
      deepStrictEqual([...new Set(await files.getByRole('button').allInnerTexts())], ['docs/guides/rate-limits.mdx']);
      await files.getByRole('button').first().click();
      deepStrictEqual((await open.told()).at(-1), { type: 'openFile', path: 'docs/guides/rate-limits.mdx' });
      await open.show(samplePage({ changes: { ...samplePage().changes!, canOpen: false } }));
      strictEqual(await files.getByRole('button').count(), 0);
    });

    it('distinguishes buttons with the same name by what they belong to', async () => {
      const page = samplePage();
      const history = page.history.map((entry) => ({ ...entry, text: LONG }));
      const turns = page.activity!.turns.map((turn) => ({
        ...turn,
        steps: turn.steps.map((step) => ({ ...step, text: LONG })),
      }));
      const summary = { ...page.activity!.summary!, text: LONG };
      const open = await openSample({ ...page, history, activity: { ...page.activity!, summary, turns } });
      await open.tell({ type: 'diff', files: SAMPLE_DIFF.map((file) => ({ ...file, isCut: true })) });
      for (const fold of await open.page.locator('.file .fold').all()) {
        await fold.click();
      }
      const buttons = await open.page.evaluate<string[]>(`[...document.querySelectorAll('main button')]
        .filter((button) => button.closest('.files') === null)
        .map((button) => [button, ...(button.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '')
          .map((id) => document.getElementById(id))].map((each) => each.title || each.textContent).join(' | '))`);
      ok(buttons.filter((each) => each.startsWith('Show All')).length > 4, buttons.join('\n'));
      deepStrictEqual(
        buttons.filter((each, index) => buttons.indexOf(each) !== index),
        [],
      );
    });

    it('offers to fetch a branch once, and moves the focus to the next button', async () => {
      const action = { id: 'fetchAndCheck', label: 'Fetch and Check' };
      const offer = { title: 'Not fetched', findings: [], action };
      const open = await openSample(samplePage({ changes: undefined, check: offer }));
      await open.page.getByRole('button', { name: action.label }).press('Enter');
      await open.show(samplePage({ changes: undefined, check: { ...offer, action: { ...action, isBusy: true } } }));
      await open.page.keyboard.press('Enter');
      deepStrictEqual(await received(open, 'action'), [{ type: 'action', id: action.id }]);
      await open.show(samplePage());
      strictEqual(await open.page.evaluate('document.activeElement.textContent'), 'Ask the Agent to Fix…');
    });
  });

  describe('with much to show', () => {
    it('marks the changed words of each file, and shows long files in full on request', async () => {
      const open = await openSample();
      await open.tell({ type: 'diff', files: SAMPLE_DIFF });
      const changes = open.page.getByRole('region', { name: 'What changed' });
      const first = changes.getByRole('article', { name: 'docs/guides/rate-limits.mdx' });
      strictEqual(
        await first.locator('.paragraph p').first().innerHTML(),
        'Each project may send <del>fifty</del><ins>a hundred</ins> requests an hour. A request that fails is tried again <ins>three times, </ins>after the time that `Retry-After` names.',
      );
      strictEqual(await first.locator('.paragraph').count(), 12);
      await first.getByRole('button', { name: 'Show 22 changed paragraphs' }).click();
      strictEqual(await first.locator('.paragraph').count(), 22);
      await first.getByRole('button', { name: 'Review Changes' }).click();
      deepStrictEqual((await open.told()).at(-1), { type: 'action', id: 'openChanges' });
      deepStrictEqual((await saved(open)).folds, ['file docs/guides/rate-limits.mdx']);
      strictEqual(await changes.getByText('renamed from docs/errors.mdx').count(), 1);
      await changes.getByRole('img', { name: 'After: docs/images/limits.png' }).scrollIntoViewIfNeeded();
      const isLoaded = 'document.querySelector(".pictures img").naturalWidth === 1';
      await open.page.waitForFunction(isLoaded, undefined, { polling: 50 });
      deepStrictEqual(open.complaints, []);
    });

    it('renders only the first paragraphs of 50 files at once', async () => {
      const { changes } = samplePage();
      const files = Array.from({ length: 50 }, (_, index) => ({ ...changes!.files[0]!, path: `docs/${index}.md` }));
      const paragraphs = (count: number): Paragraph[] =>
        Array.from({ length: count }, (_, index) => [{ kind: 'inserted', text: `Paragraph ${index}` }]);
      const { page, tell } = await openSample(samplePage({ changes: { ...changes!, files } }));
      const diff = files.map(({ path }, index) => ({
        path,
        isCut: false,
        paragraphs: paragraphs(index === 7 ? 500 : 9),
      }));
      await tell({ type: 'diff', files: diff });
      deepStrictEqual([await page.locator('.file').count(), await page.locator('.paragraph').count()], [50, 40]);
      await page.getByRole('button', { name: 'Show 500 changed paragraphs' }).click();
      strictEqual(await page.locator('.paragraph').count(), 540);
      // What is out of view costs no layout.
      const visibility = 'getComputedStyle(document.querySelector(".paragraph")).contentVisibility';
      strictEqual(await page.evaluate(visibility), 'auto');
    });

    it('renders a thousand steps once, then only the new ones', async () => {
      const { page, show } = await openSample(withSteps(999));
      await page.evaluate(`
        window.changed = 0;
        new MutationObserver((all) => (window.changed += all.length)).observe(document.querySelector('.scroll'),
          { subtree: true, childList: true, attributes: true, characterData: true });
      `);
      await show(withSteps(1000));
      deepStrictEqual([await page.locator('.step').count(), await page.evaluate('window.changed')], [1000, 1]);
    });

    it('shows the beginning of a prompt with a million characters, and all of it on request', async () => {
      const { page } = await openSample(withPrompt('some words '.repeat(100_000)));
      ok((await page.locator('.entries .text').first().innerText()).length < 1000);
      await page.getByRole('button', { name: 'Show All' }).first().click();
      ok((await page.evaluate<number>('document.querySelector(".entries .text").textContent.length')) > 1_000_000);
    });
  });

  describe('for screen readers', () => {
    it('announces a new state, the outcome of sending, and the check in regions that stay', async () => {
      const sample = samplePage({ check: undefined });
      const open = await openSample(sample);
      const regions = await open.page.locator('[role=status], .check [aria-live]').elementHandles();
      await open.show(samplePage({ state: { ...sample.state, text: 'Changes ready' } }));
      await open.tell({ type: 'notSaved', why: 'The disk is full.' });
      const texts = await Promise.all(regions.map(async (each) => (await each.innerText()).trim()));
      deepStrictEqual(texts, ['Changes ready', samplePage().check?.title, 'The disk is full.']);
    });

    it('announces new activity politely and not too often', async () => {
      const { page, show } = await openSample(withSteps(1));
      const log = page.locator('[role=log]');
      await page.clock.runFor(100);
      strictEqual(await log.innerText(), '');
      for (let count = 2; count <= 8; count += 1) {
        await show(withSteps(count));
        await page.clock.runFor(100);
      }
      await show(withSteps(8, samplePage().activity!.summary));
      ok((await log.innerText()).startsWith('I read the guide first'));
      await page.clock.runFor(5000);
      ok((await log.innerText()).startsWith('A link was broken.'));
    });
  });

  describe('with hostile text', () => {
    const texts = [...hostileTexts(400, 'http://127.0.0.1:9', 'evil'), ...hostileMarkup('http://127.0.0.1:9')];
    const isHarmless = async ({ page, requests, complaints }: OpenPage): Promise<void> => {
      const markup = 'a, img, script:not([src="/jobPage.js"]), iframe, style, image, object, form, [style], [onerror]';
      strictEqual(await page.locator(`body :is(${markup})`).count(), 0);
      ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
      deepStrictEqual([await page.evaluate('"owned" in globalThis'), await page.title()], [false, 'T']);
      deepStrictEqual([requests.length, complaints], [3, []]);
    };

    it('runs, loads and links nothing, wherever it appears', async () => {
      const open = await bench.open({ width: 300 });
      let next = 0;
      const evil = (): string => `${texts[(next += 1) % texts.length] ?? ''}<img src="/evil.png" onerror="owned=1">`;
      const fixed = 'id kind tone state words'.split(' ');
      const spoil = (value: unknown, key = ''): unknown => {
        if (typeof value === 'string') {
          return fixed.includes(key) ? value : evil();
        }
        return typeof value === 'object' && value !== null && key !== 'words'
          ? Array.isArray(value)
            ? value.map((each) => spoil(each))
            : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoil(each, name)]))
          : value;
      };
      for (let round = 0; round < 10; round += 1) {
        const model = { ...(spoil(samplePage()) as PageModel), title: 'T' };
        const parts = (['unchanged', 'deleted', 'inserted'] as const).map((kind) => ({ kind, text: evil() }));
        const files = model.changes?.files ?? [];
        await open.show(model);
        await open.tell({ type: 'diff', files: files.map(({ path }) => ({ path, isCut: true, paragraphs: [parts] })) });
        ok((await open.page.locator('.changes ins').count()) > 0);
        await isHarmless(open);
      }
    });
  });
});
