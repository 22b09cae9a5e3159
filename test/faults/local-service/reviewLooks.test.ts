import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type LocalBench, localBench } from '../../contract/contractBench';
import { openInBrowser } from '../../support/reviewPage';
import { launchBrowser } from '../../support/vscode/browser';
import { checkoutRoot } from '../../support/vscode/paths';

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced colors': { forcedColors: 'active' },
  'more contrast': { contrast: 'more' },
  narrow: { viewport: { width: 400, height: 800 } },
  'narrow and dark': { viewport: { width: 320, height: 720 }, colorScheme: 'dark' },
};

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

describe('review page, appearance and accessibility', function () {
  const screenshots = join(checkoutRoot, 'out', 'screenshots');
  let bench: LocalBench;
  let browser: Browser;
  let axe: string;
  let jobId: string;
  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(screenshots, { recursive: true });
    const script = `echo 'One more line.' >> docs/index.md; echo '# Limits' > docs/limits.md; sed -i s/retr/try/ README.md`;
    bench = await localBench({ agentCommand: ['sh', '-c', script] });
    browser = await launchBrowser();
    ({ id: jobId } = await bench.client.createJob(bench.target, 'Bring the guide up to date\n\nAnd name the limits.'));
    await bench.ended(jobId);
  });
  after(async () => {
    await browser.close();
    await bench.close();
  });

  for (const [name, options] of Object.entries(looks)) {
    it(`has no accessibility violations: ${name}`, async () => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, bypassCSP: true, ...options });
      const page = await context.newPage();
      await openInBrowser(page, { target: bench.target, jobId });
      await page.getByText('Prompt', { exact: true }).click();
      await page.evaluate(axe);
      const found = await page.evaluate<Violation[]>(`axe.run().then(({ violations }) => violations)`);
      assert.deepEqual(found, []);
      await page.screenshot({ path: join(screenshots, `review-${name.replaceAll(' ', '-')}.png`), fullPage: true });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wide <= 0, `${wide} pixels are beside the window`);
      await context.close();
    });
  }

  it('is readable without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await openInBrowser(page, { target: bench.target, jobId });
    const text = await page.innerText('body');
    assert.ok(text.includes('One more line.') && text.includes('git merge docs-agent/'), text);
    await context.close();
  });
});
