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
  narrow: { viewport: { width: 320, height: 720 } },
};

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

describe('review page, for every eye and ear', function () {
  this.timeout(120_000);
  let bench: ReviewBench;
  let link: string;
  let axe: string;
  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(join(checkoutRoot, 'out', 'screenshots'), { recursive: true });
    bench = await reviewBench();
    ({ link } = await bench.newJob('Bring the guide up to date\n\nAnd say what the limits are.'));
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const found = await page.evaluate<Violation[]>(`axe.run().then(({ violations }) => violations)`);
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
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
    it(`has nothing serious against it: ${name}`, async () => {
      const page = await bench.open(link, { ...options, bypassCSP: true });
      assert.deepEqual(await violations(page), []);
      await page.getByRole('button', { name: 'Comment on line 9', exact: true }).click();
      await page.getByRole('button', { name: 'Comment on line 12, added' }).click({ modifiers: ['Shift'] });
      await page.getByRole('textbox').fill('Say why, in a sentence.');
      assert.deepEqual(await violations(page), []);
      await picture(page, name);
      await page.getByRole('button', { name: 'Split' }).click();
      assert.deepEqual(await violations(page), []);
      await picture(page, `${name} split`);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wide <= 0, `${wide} pixels are beside the window`);
    });
  }

  it('shows the same lines in both views', async () => {
    const page = await bench.open(link);
    const text = (): Promise<string[]> => page.locator('article td.c:not(.empty)').allTextContents();
    const unified = new Set(await text());
    assert.equal(await page.locator('article').first().locator('tr').first().locator('td').count(), 2);
    await page.getByRole('button', { name: 'Split' }).click();
    assert.deepEqual(new Set(await text()), unified);
    const row = page.locator('article[data-path="docs/guide.md"] tr', { hasText: 'Line 10, written anew.' });
    assert.match(await row.innerText(), /Line 10 of the guide\.[\s\S]*Line 10, written anew\./);
  });

  it('is there to read, in one column, without script', async () => {
    const page = await bench.open(link, { javaScriptEnabled: false });
    assert.ok((await page.locator('body').innerText()).includes('Line 10, written anew.'));
    assert.ok((await page.locator('body').innerText()).includes('git merge docs-agent/'));
    assert.equal(await page.locator('button:visible').count(), 0);
  });

  it('has one stop for the tab key in each table', async () => {
    const page = await bench.open(link);
    assert.equal(await page.locator('article').count(), 3);
    assert.equal(await page.locator('button.ln[tabindex="0"]').count(), 3);
    assert.ok((await page.locator('button.ln').count()) > 10);
  });
});
