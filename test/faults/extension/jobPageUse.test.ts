import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { FileDiff, FromPage, PageModel } from '../../../src/extension/features/job-page/model';
import { hostileTexts as hostileMarkup } from '../local-service/hostileHtml';
import { hostileTexts } from '../../support/hostileText';
import { JobPageFixture, type OpenPage } from '../../support/jobPage/jobPageFixture';
import { SAMPLE_DIFF, SAMPLE_START, SAMPLE_STEPS, samplePage } from '../../support/jobPage/samplePage';

const LONG = Array.from({ length: 60 }, (_, line) => `Line ${line + 1} of a long prompt.`).join('\n');

function withPrompt(text: string): PageModel {
  const page = samplePage();
  const [first, ...others] = page.timeline.entries;
  return { ...page, timeline: { ...page.timeline, entries: [{ ...first!, text }, ...others] } };
}

describe('using the job page', function () {
  let bench: JobPageFixture;
  before(async () => {
    bench = await JobPageFixture.start();
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  const openSample = async (model = samplePage(), options = {}): Promise<OpenPage> => {
    const open = await bench.open(options);
    await open.show(model);
    return open;
  };
  const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Follow-up' });
  const tellings = async (open: OpenPage, type: string) => (await open.told()).filter((each) => each.type === type);

  it('reports that it is ready, and keeps state that others have stored', async () => {
    const open = await bench.open({ state: { job: 'old', other: 1 }, ofHost: { job: 'key "1"' } });
    deepStrictEqual(await open.told(), [{ type: 'ready' }]);
    deepStrictEqual(await open.state(), { job: 'key "1"', other: 1 });
    await open.show(withPrompt(LONG));
    await open.page.getByRole('button', { name: 'Show All' }).first().click();
    const { job, other, page } = (await open.state()) as Record<string, unknown>;
    deepStrictEqual([job, other], ['key "1"', 1]);
    deepStrictEqual((page as { folds: unknown }).folds, { 'entry prompt': true });
  });

  it('restores its folds and scroll positions', async () => {
    const state = { page: { folds: { 'entry prompt': true }, scroll: 300, storyScroll: 10 } };
    const page = withPrompt(LONG);
    const steps = Array.from({ length: 60 }, (_, index) => ({ ...SAMPLE_STEPS[2]!, id: `s${index}` }));
    const story = { ...page.story!, turns: [{ turn: 3, from: SAMPLE_START, steps }] };
    const open = await openSample({ ...page, story }, { state });
    ok((await open.page.locator('.entries').innerText()).includes('Line 60 of'));
    strictEqual(await open.page.evaluate('scrollY'), 300);
    strictEqual(await open.page.evaluate('document.querySelector(".scroll").scrollTop'), 10);
  });

  it('reports the draft on every keystroke, and a very long one after a pause or when the box loses focus', async () => {
    const open = await openSample();
    const lastTold = async (): Promise<FromPage | undefined> => (await tellings(open, 'draft')).at(-1);
    await box(open).fill('one');
    deepStrictEqual(await tellings(open, 'draft'), [{ type: 'draft', text: 'one' }]);
    const long = 'many words '.repeat(5000);
    await box(open).fill(long);
    await open.page.clock.runFor(100);
    await box(open).fill(`${long}and more`);
    deepStrictEqual(await lastTold(), { type: 'draft', text: 'one' });
    await open.page.clock.runFor(300);
    deepStrictEqual(await lastTold(), { type: 'draft', text: `${long}and more` });
    await box(open).fill(`${long}left`);
    await box(open).blur();
    deepStrictEqual(await lastTold(), { type: 'draft', text: `${long}left` });
    await box(open).fill(`${long}hidden`);
    await open.page.evaluate('dispatchEvent(new Event("pagehide"))');
    deepStrictEqual(await lastTold(), { type: 'draft', text: `${long}hidden` });
  });

  it('shows the saved draft, whether it arrives before or after the model', async () => {
    const early = await bench.open();
    await early.tell({ type: 'draft', text: 'left', told: '' });
    await early.show(samplePage());
    strictEqual(await box(early).inputValue(), 'left');
    const late = await openSample();
    await box(late).fill('typed');
    await late.tell({ type: 'draft', text: 'left', told: '' });
    strictEqual(await box(late).inputValue(), 'left\n\ntyped');
    deepStrictEqual((await tellings(late, 'draft')).at(-1), { type: 'draft', text: 'left\n\ntyped' });
  });

  it('adopts text typed for the same job elsewhere, and does not report it again', async () => {
    const open = await openSample();
    await box(open).fill('one');
    await open.tell({ type: 'draft', text: 'one, two', told: 'one' });
    strictEqual(await box(open).inputValue(), 'one, two');
    await box(open).blur();
    deepStrictEqual(await tellings(open, 'draft'), [{ type: 'draft', text: 'one' }]);
    await open.tell({ type: 'draft', text: '', told: 'one, two' });
    strictEqual(await box(open).inputValue(), '');
  });

  it('sends once with Ctrl+Enter, and clears the box when the prompt has been saved', async () => {
    const open = await openSample();
    await box(open).fill('Use British spelling.');
    await box(open).press('Enter');
    await box(open).press('Control+Enter');
    await box(open).press('Control+Enter');
    await box(open).press('Meta+Enter');
    await open.page.locator('.dock').getByRole('button', { name: 'Send Now' }).dispatchEvent('click');
    deepStrictEqual(await tellings(open, 'send'), [{ type: 'send', text: 'Use British spelling.\n' }]);
    strictEqual(await box(open).inputValue(), 'Use British spelling.\n');
    strictEqual(await open.page.locator('#told').innerText(), 'Sending…');
    await open.tell({ type: 'kept', text: 'Use British spelling.\n' });
    strictEqual(await box(open).inputValue(), '');
    await open.page.clock.runFor(300);
    deepStrictEqual((await tellings(open, 'draft')).at(-1), { type: 'draft', text: '' });
  });

  it('keeps text typed while the prompt is being sent', async () => {
    const open = await openSample();
    await box(open).fill('one');
    await open.page.getByRole('button', { name: 'Send After This Run' }).click();
    deepStrictEqual(await tellings(open, 'send'), [{ type: 'send', text: 'one', when: 'ended' }]);
    await box(open).fill('another');
    await open.tell({ type: 'kept', text: 'one' });
    strictEqual(await box(open).inputValue(), 'another');
    await open.page.locator('.dock').getByRole('button', { name: 'Send Now' }).click();
    deepStrictEqual((await tellings(open, 'send')).at(-1), { type: 'send', text: 'another', when: 'now' });
  });

  it('keeps the text if it could not be saved, and shows the reason next to it', async () => {
    const open = await openSample();
    await box(open).fill('one');
    await box(open).press('Control+Enter');
    await open.tell({ type: 'notKept', why: 'The disk is full.' });
    strictEqual(await box(open).inputValue(), 'one');
    strictEqual(await open.page.getByRole('status').last().innerText(), 'The disk is full.');
    await box(open).press('Control+Enter');
    strictEqual((await tellings(open, 'send')).length, 2);
  });

  it('does not send during IME composition, an empty prompt, or when follow-ups are not possible', async () => {
    const open = await openSample();
    await box(open).fill('  \n ');
    await box(open).press('Control+Enter');
    strictEqual(await open.page.locator('#told').innerText(), 'Write what the agent is to do next.');
    await box(open).fill('にほ');
    await open.page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
    )`);
    const { followUp } = samplePage();
    await open.show(samplePage({ followUp: { ...followUp, refused: 'The job was archived.' } }));
    await box(open).press('Control+Enter');
    await open.page.getByRole('button', { name: 'Send After This Run' }).dispatchEvent('click');
    strictEqual(await open.page.locator('#told').innerText(), 'The job was archived.');
    strictEqual(await box(open).inputValue(), 'にほ');
    deepStrictEqual(await tellings(open, 'send'), []);
  });

  it('keeps text, selection, focus, folds and scroll positions when a new model arrives', async () => {
    const steps = Array.from({ length: 60 }, (_, index) => ({ ...SAMPLE_STEPS[2]!, id: `s${index}` }));
    const page = withPrompt(LONG);
    const story = { ...page.story!, turns: [{ turn: 3, from: SAMPLE_START, steps }] };
    const open = await openSample({ ...page, story });
    await open.page.clock.runFor(100);
    await open.page.getByRole('button', { name: 'Show All' }).first().click();
    await box(open).fill('half a sen');
    await open.page.evaluate('document.activeElement.setSelectionRange(2, 5)');
    await open.page.evaluate(`new Promise((done) => {
      const box = document.querySelector('.scroll');
      box.addEventListener('scroll', done, { once: true });
      box.scrollTop = 5;
    })`);
    await open.show({ ...page, title: 'New', actions: [], story: { ...story, plan: [], earlier: 3 } });
    const after = await open.page.evaluate(`(() => {
      const box = document.activeElement;
      return [box.id, box.value, box.selectionStart, box.selectionEnd, document.querySelector('.scroll').scrollTop];
    })()`);
    deepStrictEqual(after, ['prompt', 'half a sen', 2, 5, 5]);
    ok((await open.page.locator('.entries').innerText()).includes('Line 60 of'));
  });

  it('scrolls the story along only if it is at the end', async () => {
    const story = (count: number) => {
      const steps = Array.from({ length: count }, (_, index) => ({ ...SAMPLE_STEPS[2]!, id: `s${index}` }));
      return samplePage({
        story: { isLive: true, plan: [], turns: [{ turn: 1, from: SAMPLE_START, steps }], earlier: 0 },
      });
    };
    const open = await openSample(story(60));
    const gap =
      'document.querySelector(".scroll").scrollHeight - document.querySelector(".scroll").clientHeight - document.querySelector(".scroll").scrollTop';
    ok((await open.page.evaluate<number>(gap)) <= 1);
    await open.show(story(70));
    ok((await open.page.evaluate<number>(gap)) <= 1);
    await open.page.clock.runFor(100);
    await open.page.evaluate(`new Promise((done) => {
      const box = document.querySelector('.scroll');
      box.addEventListener('scroll', done, { once: true });
      box.scrollTop = 40;
    })`);
    await open.show(story(80));
    strictEqual(await open.page.evaluate('document.querySelector(".scroll").scrollTop'), 40);
  });

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
      reached.push(await open.page.evaluate<string>('document.activeElement.textContent || document.activeElement.id'));
      if (
        reached.at(-1) === 'Details' ||
        reached.at(-1) === 'Discard' ||
        reached.at(-1)?.endsWith('retries.mdx') === true
      ) {
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
      'Send After This Run',
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

  it('opens files from the story only if it can show their changes', async () => {
    const open = await openSample();
    const story = open.page.locator('section.story .files');
    deepStrictEqual([...new Set(await story.getByRole('button').allInnerTexts())], ['docs/guides/rate-limits.mdx']);
    await story.getByRole('button').first().click();
    deepStrictEqual((await open.told()).at(-1), { type: 'openFile', path: 'docs/guides/rate-limits.mdx' });
    const { changes } = samplePage();
    await open.show(samplePage({ changes: { ...changes!, canOpen: false } }));
    strictEqual(await story.getByRole('button').count(), 0);
    strictEqual((await story.getByText('docs/guides/rate-limits.mdx').count()) > 0, true);
  });

  it('shows the changed words of each file, and long files in full on request', async () => {
    const open = await openSample();
    await open.tell({ type: 'diff', files: SAMPLE_DIFF });
    const changes = open.page.getByRole('region', { name: 'What changed' });
    const first = changes.getByRole('article', { name: 'docs/guides/rate-limits.mdx' });
    strictEqual(
      await first.locator('.paragraph p').first().innerHTML(),
      'Each project may send <del>fifty</del><ins>a hundred</ins> requests an hour. A request that fails is tried again <ins>three times, </ins>after the time that `Retry-After` names.',
    );
    strictEqual(await first.locator('.paragraph').count(), 12);
    strictEqual(await first.getByText('more changes than').count(), 0);
    await first.getByRole('button', { name: 'Show 22 changed paragraphs' }).click();
    strictEqual(await first.locator('.paragraph').count(), 22);
    await first.getByRole('button', { name: 'Review Changes' }).click();
    deepStrictEqual((await open.told()).at(-1), { type: 'action', id: 'openChanges' });
    const state = (await open.state()) as { page: { folds: unknown } };
    deepStrictEqual(state.page.folds, { 'file docs/guides/rate-limits.mdx': true });
    ok((await changes.getByText('renamed from docs/errors.mdx').count()) === 1);
    const picture = changes.getByRole('img', { name: 'After: docs/images/limits.png' });
    await picture.scrollIntoViewIfNeeded();
    await open.page.waitForFunction('document.querySelector(".pictures img").naturalWidth === 1', undefined, {
      polling: 50,
    });
    deepStrictEqual(open.complaints, []);
  });

  it('moves the focus to the box for a follow-up, and leaves other actions to the extension', async () => {
    const open = await openSample();
    await open.page.getByRole('button', { name: 'Follow-up', exact: true }).click();
    strictEqual(await open.page.evaluate('document.activeElement.id'), 'prompt');
    await open.page.getByRole('button', { name: 'More…' }).click();
    deepStrictEqual((await open.told()).slice(1), [{ type: 'action', id: 'more' }]);
  });

  it('labels each button of the timeline with the entry it belongs to', async () => {
    const open = await openSample();
    const described = await open.page.evaluate(`[...document.querySelectorAll('.entries .actions button')].map(
      (each) => [each.textContent, ...each.getAttribute('aria-describedby').split(' ')
        .map((id) => document.getElementById(id).className || document.getElementById(id).localName)].join(' '),
    )`);
    deepStrictEqual(
      described,
      ['Send Now', 'Edit', 'Discard'].map((label) => `${label} title time`),
    );
  });

  it('distinguishes buttons with the same name by their entry', async () => {
    const page = samplePage();
    const entries = page.timeline.entries.map((entry) => ({ ...entry, text: LONG }));
    const turns = page.story!.turns.map((turn) => ({
      ...turn,
      steps: turn.steps.map((step) => ({ ...step, text: LONG })),
    }));
    const story = { ...page.story!, summary: LONG, turns };
    const open = await openSample({ ...page, story, timeline: { ...page.timeline, entries } });
    await open.tell({ type: 'diff', files: SAMPLE_DIFF.map((file) => ({ ...file, isCut: true })) });
    for (const fold of await open.page.locator('.file .fold').all()) {
      await fold.click();
    }
    const buttons = await open.page.evaluate<string[]>(`[...document.querySelectorAll('main button')]
      .filter((button) => button.closest('.files') === null)
      .map((button) => [button, ...(button.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '')
        .map((id) => document.getElementById(id))].map((each) => each.title || each.textContent).join(' | '))`);
    ok(buttons.filter((each) => each.startsWith('Show All')).length > 4, buttons.join('\n'));
    ok(buttons.filter((each) => each.startsWith('Review Changes')).length > 2, buttons.join('\n'));
    deepStrictEqual(
      buttons.filter((each, index) => buttons.indexOf(each) !== index),
      [],
    );
  });

  it('describes in the follow-up box what sending does, even after text was typed', async () => {
    const open = await openSample();
    await box(open).fill('x');
    const described = await box(open).getAttribute('aria-describedby');
    const texts = described!.split(' ').map((id) => open.page.locator(`#${id}`).textContent());
    deepStrictEqual(await Promise.all(texts), ['', samplePage().followUp.placeholder]);
  });

  it('runs, loads and links nothing from a text, wherever it appears', async () => {
    const open = await bench.open({ width: 300 });
    const texts = hostileTexts(400, 'http://127.0.0.1:9', 'evil');
    const page = samplePage();
    let next = 0;
    const evil = (): string =>
      `${texts[(next += 1) % texts.length] ?? ''}<img src="/evil.png" onerror="document.title='run'">`;
    const spoil = <T>(value: T, key = ''): T => {
      const kept = ['id', 'kind', 'tone', 'state', 'language', 'words'];
      const spoiled = Array.isArray(value)
        ? value.map((each) => spoil<unknown>(each))
        : typeof value === 'object' && value !== null && key !== 'words'
          ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoil<unknown>(each, name)]))
          : typeof value === 'string' && !kept.includes(key)
            ? evil()
            : value;
      return spoiled as T;
    };
    const evilDiff = ({ changes }: PageModel): FileDiff[] =>
      (changes?.files ?? []).map(({ path }) => {
        const parts = (['kept', 'deleted', 'inserted'] as const).map((kind) => ({ kind, text: evil() }));
        const paragraphs = [parts, ...parts.map((part) => [part])];
        return { path, isCut: true, paragraphs };
      });
    for (let round = 0; round < 10; round += 1) {
      const spoiled = spoil(page);
      await open.show(spoiled);
      await open.tell({ type: 'diff', files: evilDiff(spoiled) });
      ok((await open.page.locator('.changes ins').count()) > 0);
      strictEqual(
        await open.page
          .locator('a, img, script:not([src="/jobPage.js"]), iframe, [style]:not(.bar > .span), main style, image')
          .count(),
        0,
      );
      ok((await open.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
    }
    ok((await open.page.title()) !== 'run');
    deepStrictEqual(
      open.requests,
      ['/0', '/jobPage.css', '/jobPage.js'].map((path, index) => (index === 0 ? open.requests[0] : path)),
    );
    deepStrictEqual(open.complaints, []);
  });

  it('runs, loads and links nothing from hundreds of hostile texts in a diff and its file names', async () => {
    const open = await bench.open({ width: 300 });
    const texts = [...hostileTexts(400, 'http://127.0.0.1:9', 'evil'), ...hostileMarkup('http://127.0.0.1:9')];
    const page = samplePage();
    const files = Array.from({ length: 4 }, (_, file) => {
      const own = texts.filter((__, index) => index % 4 === file);
      const kinds = ['kept', 'deleted', 'inserted'] as const;
      const paragraphs = own.map((text, index) => [{ kind: kinds[index % 3] ?? 'kept', text }]);
      return { path: own[file] ?? '', paragraphs, isCut: true };
    });
    const changes = {
      ...page.changes!,
      files: files.map(({ path }) => ({ path, from: path, kind: 'renamed' as const, added: 1 })),
    };
    await open.show(samplePage({ changes }));
    await open.tell({ type: 'diff', files });
    for (const { paragraphs } of files) {
      await open.page
        .getByRole('button', { name: `Show ${paragraphs.length} changed paragraphs` })
        .first()
        .click();
    }
    ok(texts.length > 700);
    const shown = open.page.locator('.paragraph');
    await shown.nth(texts.length - 1).waitFor({ state: 'attached' });
    strictEqual(await shown.count(), texts.length);
    strictEqual(
      await open.page.locator('.changes :is(a, img, script, iframe, style, image, object, form, [onerror])').count(),
      0,
    );
    deepStrictEqual([await open.page.evaluate('"owned" in globalThis'), open.requests.length], [false, 3]);
    deepStrictEqual(open.complaints, []);
  });

  it('shows the beginning of a prompt with a million characters, and all of it on request', async () => {
    const open = await openSample(withPrompt('some words \u202e\u0007'.repeat(100_000)));
    ok((await open.page.locator('.entries .text').first().innerText()).length < 1000);
    await open.page.getByRole('button', { name: 'Show All' }).first().click();
    const length = 'document.querySelector(".entries .text").textContent.length';
    ok((await open.page.evaluate<number>(length)) > 1_000_000);
  });
});
