import assert from 'node:assert/strict';
import { writeFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, BrowserContextOptions } from 'playwright-core';
import { type LocalBench, localBench } from '../../contract/contractBench';
import { openInBrowser, type ReviewedJob } from '../../support/reviewPage';
import { report, scaled } from '../../support/scale';
import { testNode } from '../../support/serviceProcess';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import { type EvilSite, openEvilSite } from './evilSite';
import { hostileTexts as hostileLinks } from '../../support/hostileText';
import { hostileNames, hostileTexts } from './hostileHtml';
import { createRequire } from 'node:module';
import { launchBrowser } from '../../support/vscode/browser';
import { checkoutRoot } from '../../support/vscode/paths';

/** An agent that writes each text into a file and creates a file with each name. A follow-up changes every line. */
const AGENT = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const { texts, names } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const again = existsSync('docs/texts.md');
writeFileSync('docs/texts.md', texts.map((text) => (again ? 'x ' + text + ' y' : text)).join('\\n'));
for (const name of names) {
  writeFileSync('docs/' + name, name + '\\n');
}
`;

describe('review page, hostile texts in a browser', function () {
  let site: EvilSite;
  let texts: string[];
  /** Others, which are not shown as they are, because they contain invisible characters. */
  let links: string[];
  before(async () => {
    site = await openEvilSite();
    texts = hostileTexts(site.origin);
    links = hostileLinks(400, site.origin, 'evil');
  });
  after(() => site.close());

  /** A job whose repository, folder, branch, prompts, files and lines are all hostile. */
  async function hostileJob(bench: (settings: Parameters<typeof localBench>[0]) => Promise<LocalBench>) {
    const folder = await temporaryFolder();
    const repo = join(folder, '"><img src=x onerror=owned=1>');
    await createSampleRepository(repo);
    await git(repo, 'checkout', '--quiet', '-b', '"><svg/onload=owned=1>');
    await git(repo, 'remote', 'add', 'origin', `https://x.example/"><script>owned=1</script>`);
    const [agent, data] = [join(folder, 'agent.mjs'), join(folder, 'texts.json')];
    await writeFile(agent, AGENT);
    await writeFile(data, JSON.stringify({ texts: [...texts, ...links], names: hostileNames(texts) }));
    const opened = await bench({ repo, agentCommand: [testNode(), agent, data] });
    const { id } = await opened.client.createJob(opened.target, texts.join('\n'));
    await opened.ended(id);
    for (const text of texts.slice(0, 3)) {
      await opened.client.sendMessage(opened.target, id, text);
      await opened.ended(id);
    }
    return { target: opened.target, jobId: id };
  }

  /** What a page did in a browser: whether a script ran, and what it requested besides itself. */
  async function show(browser: Browser, job: ReviewedJob, withoutPolicy: boolean) {
    const page = await browser.newPage();
    await openInBrowser(page, job);
    const url = page.url();
    const asked: string[] = [];
    page.on('request', (request) => (request.url() === url ? undefined : asked.push(request.url())));
    page.on('dialog', (dialog) => void dialog.dismiss());
    if (withoutPolicy) {
      await page.route(url, async (route) => {
        const response = await route.fetch();
        const headers = Object.entries(response.headers()).filter(([name]) => name !== 'content-security-policy');
        await route.fulfill({ response, headers: Object.fromEntries(headers) });
      });
    }
    site.hits.length = 0;
    await page.goto(url, { waitUntil: 'load' });
    // Opens what is folded so that it is laid out; focuses and hovers elements so that their events fire.
    await page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = true))`);
    await page.keyboard.press('Tab');
    await page.waitForTimeout(300);
    const result = {
      ran: await ran(page),
      asked,
      hits: [...site.hits],
      at: page.url(),
      text: await page.innerText('body'),
    };
    await page.close();
    return result;
  }

  const ran = (page: Page): Promise<boolean> => page.evaluate<boolean>(`'owned' in globalThis`);

  it('run no script and load nothing, with the content security policy and without it', async () => {
    let opened: LocalBench | undefined;
    try {
      const job = await hostileJob(async (settings) => (opened = await localBench(settings)));
      for (const withoutPolicy of [false, true]) {
        const { text, at, ...rest } = await show(site.browser, job, withoutPolicy);
        assert.deepEqual(rest, { ran: false, asked: [], hits: [] });
        assert.ok(at.startsWith(`${job.target.baseUrl}/review/${job.jobId}/`), at);
        assert.ok(
          texts.every((each) => text.includes(each.trim())),
          'each text is shown as it is',
        );
      }
    } finally {
      await opened?.close();
    }
    const what = `${texts.length + links.length} hostile texts in lines and prompts, ${hostileNames(texts).length} file names, in Chromium`;
    report({ promise: 'S8', what: `${what}, with and without its policy`, figure: '0 executed, 0 remote loads' });
  });

  it('do run or load when inserted as markup', async () => {
    const page = await site.browser.newPage();
    const some = texts.filter((_, index) => index % scaled(8, 1) === 0);
    let effective = 0;
    for (const text of some) {
      site.hits.length = 0;
      const body = `<!doctype html><title>x</title><p>${text}</p>`;
      await page.route(`${site.origin}/careless`, (route) => route.fulfill({ contentType: 'text/html', body }));
      await page.goto(`${site.origin}/careless`).catch(() => undefined);
      // A page that was navigated away does not answer.
      effective += (await ran(page).catch(() => true)) || site.hits.length > 0 ? 1 : 0;
      await page.unroute(`${site.origin}/careless`);
    }
    await page.close();
    assert.ok(effective > some.length / 2, `${effective} of ${some.length}`);
  });
});

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
