import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { checkoutRoot } from '../../support/vscode/paths';
import { type ReviewBench, reviewBench } from './reviewBench';

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced colors': { forcedColors: 'active' },
  'more contrast': { contrast: 'more' },
  narrow: { viewport: { width: 400, height: 800 } },
  'narrow and dark': { viewport: { width: 320, height: 720 }, colorScheme: 'dark' },
  german: { locale: 'de-DE' },
};

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

describe('review page, appearance and accessibility', function () {
  let bench: ReviewBench;
  let link: string;
  let axe: string;
  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(join(checkoutRoot, 'out', 'screenshots'), { recursive: true });
    bench = await reviewBench();
    ({ link } = await bench.newJob('Bring the guide up to date\n\nAnd say what the limits are. [invent]'));
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const found = await page.evaluate<Violation[]>(`axe.run().then(({ violations }) => violations)`);
    return found.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`,
    );
  }

  const picture = (page: Page, name: string) =>
    page.screenshot({
      path: join(checkoutRoot, 'out', 'screenshots', `review-${name.replaceAll(' ', '-')}.png`),
      fullPage: true,
    });

  for (const [name, options] of Object.entries(looks)) {
    it(`has no accessibility violations: ${name}`, async () => {
      const page = await bench.open(link, { ...options, bypassCSP: true });
      assert.deepEqual(await violations(page), []);
      await page.locator('.check summary').click();
      await page.getByRole('textbox').fill('Say why, in a sentence.');
      await page.locator('#close').focus();
      assert.deepEqual(await violations(page), []);
      await picture(page, name);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wide <= 0, `${wide} pixels are beside the window`);
    });
  }

  for (const [state, endings] of Object.entries({ Closed: ['Close'], Merged: ['Close', 'Reopen', 'Merge'] })) {
    it(`has no accessibility violations when it is ${state.toLowerCase()}`, async () => {
      const job = await bench.newJob();
      const page = await bench.open(job.link, { bypassCSP: true });
      for (const name of endings) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
      }
      await page.locator('#state .word').getByText(state, { exact: true }).waitFor();
      assert.deepEqual(await violations(page), []);
    });
  }

  it('can be used with the keyboard alone', async () => {
    const page = await bench.open(link);
    await page.locator('#text').focus();
    const stops: string[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('Tab');
      stops.push(await page.evaluate<string>('document.activeElement.textContent'));
    }
    assert.deepEqual(stops, ['Send', 'On the command line', 'Merge', 'Close']);
  });

  it('shows what the check of the added lines found, in the language of the browser', async () => {
    const page = await bench.open(link);
    const check = page.getByRole('region', { name: '13 problems in the added lines' });
    const [first] = await check.getByRole('listitem').allInnerTexts();
    assert.match(
      first ?? '',
      /^docs\/budget\.md:3 “--retry-budget” isn’t in the code, its history, or its dependencies\.$/,
    );
    const german = await bench.open(link, { locale: 'de-DE' });
    await german.getByRole('heading', { name: '13 Probleme in den neuen Zeilen' }).waitFor();
  });

  it('keeps line numbers and signs in separate cells, and marks the changed words', async () => {
    const page = await bench.open(link);
    const row = page.locator('tr', { hasText: 'Line 10, written anew.' });
    assert.deepEqual(await row.locator('td').allTextContents(), ['', '10', '+', 'Line 10, written anew.']);
    assert.equal(await row.locator('ins').textContent(), ', written anew');
  });

  it('is readable without scripts', async () => {
    const page = await bench.open(link, { javaScriptEnabled: false });
    assert.ok((await page.locator('body').textContent())?.includes('Line 10, written anew.'));
    await page.getByText('On the command line').click();
    assert.ok((await page.locator('body').innerText()).includes('git merge docs-agent/'));
    assert.equal(await page.locator('button:visible').count(), 0);
  });
});
