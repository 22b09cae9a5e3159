import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { hostileTexts } from '../../support/hostileText';
import { JobPageFixture, type OpenPage } from '../../support/jobPage/jobPageFixture';
import { samplePage } from '../../support/jobPage/samplePage';
import { hostileTexts as hostileMarkup } from '../local-service/hostileHtml';

describe('the check of a result on the job page', function () {
  let bench: JobPageFixture;
  before(async () => {
    bench = await JobPageFixture.start();
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  const check = samplePage().check!;
  const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Follow-up' });

  it('is announced in an existing live region, and lists what was found', async () => {
    const open = await bench.open();
    await open.show(samplePage({ check: undefined }));
    const live = await open.page.waitForSelector('.check [aria-live]', { state: 'attached' });
    strictEqual((await live.innerText()).trim(), '');
    await open.show(samplePage());
    strictEqual((await live.innerText()).trim(), check.title);
    deepStrictEqual(await open.page.getByRole('region', { name: check.title }).locator('li').allInnerTexts(), [
      ...check.findings.map(({ place, text }) => `${place} ${text}`),
      '… and 1 more',
    ]);
    await open.show(samplePage({ check: { title: 'Nothing found', findings: [] } }));
    strictEqual((await live.innerText()).trim(), 'Nothing found');
    strictEqual((await open.page.locator('.check').innerText()).trim(), 'Nothing found');
    strictEqual(await open.page.locator('.check button').count(), 0);
  });

  it('can be requested only once, and moves the focus to the next button', async () => {
    const open = await bench.open();
    const action = { id: 'fetchAndCheck', label: 'Fetch and Check' };
    const offer = { title: 'Not fetched', findings: [], action };
    await open.show(samplePage({ changes: undefined, check: offer }));
    await open.page.getByRole('button', { name: action.label }).focus();
    await open.page.keyboard.press('Enter');
    await open.show(samplePage({ changes: undefined, check: { ...offer, action: { ...action, isBusy: true } } }));
    await open.page.keyboard.press('Enter');
    const asked = (await open.told()).filter(({ type }) => type === 'action');
    deepStrictEqual(asked, [{ type: 'action', id: action.id }]);
    await open.show(samplePage());
    strictEqual(await open.page.evaluate('document.activeElement.textContent'), 'Ask the Agent to Fix…');
  });

  it('adds its request below the typed text only once, and never sends it automatically', async () => {
    const open = await bench.open();
    await open.show(samplePage());
    await box(open).fill('Use British spelling.');
    const button = open.page.getByRole('button', { name: 'Ask the Agent to Fix…' });
    await button.focus();
    await open.page.keyboard.press('Enter');
    await button.click();
    const text = `Use British spelling.\n\n${check.request ?? ''}`;
    strictEqual(await box(open).inputValue(), text);
    strictEqual(await open.page.evaluate('document.activeElement.id'), 'prompt');
    const told = await open.told();
    strictEqual(told.filter(({ type }) => type === 'send').length, 0);
    deepStrictEqual(told.at(-1), { type: 'draft', text });
  });

  it('runs, loads, and links nothing from hundreds of hostile texts', async () => {
    const open = await bench.open({ width: 300 });
    const texts = [...hostileTexts(400, 'http://127.0.0.1:9', 'evil'), ...hostileMarkup('http://127.0.0.1:9')];
    const findings = texts.map((text) => ({ place: text, text }));
    await open.show(samplePage({ check: { title: texts[0] ?? '', findings, request: texts.join('\n') } }));
    strictEqual(await open.page.locator('.check li').count(), texts.length);
    ok((await open.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
    strictEqual(
      await open.page.locator('.check :is(a, img, script, iframe, style, image, object, form, [onerror])').count(),
      0,
    );
    await open.page.getByRole('button', { name: 'Ask the Agent to Fix…' }).click();
    strictEqual(await open.page.evaluate('"owned" in globalThis'), false);
    strictEqual(open.requests.length, 3);
    deepStrictEqual(open.complaints, []);
  });
});
