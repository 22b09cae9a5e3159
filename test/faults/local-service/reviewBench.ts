import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type LocalBench, localBench, projectAt } from '../../contract/contractBench';
import { WAIT_LIMIT } from '../../support/limits';
import { openInBrowser } from '../../support/reviewPage';
import { type ServiceSettings, testNode } from '../../support/serviceProcess';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import { launchBrowser } from '../../support/vscode/browser';

/**
 * An agent that rewrites a guide and adds and deletes a file. A follow-up adds a line. On request, it waits, fails, or
 * writes what isn't true.
 */
const AGENT = `
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const prompt = readFileSync(0, 'utf8');
const newest = prompt.slice(prompt.lastIndexOf('--- New message ---'));
if (newest.includes('[hold]')) {
  while (!existsSync(process.argv[2])) await delay(20);
}
if (newest.includes('[fail]')) {
  console.error('The agent was told to fail.');
  process.exit(1);
}
if (newest.includes('[invent]')) {
  const links = Array.from({ length: 9 }, (_, index) => '- [Part ' + index + '](parts/' + index + '.md)');
  const text = ['# Budget', '', 'Set \`--retry-budget\` and \`RETRY_BUDGET\`, as [here](guide.md#budget).', '', ...links];
  writeFileSync('docs/budget.md', [...text, '', '~~~json', '{ "retries": }', '~~~', ''].join('\\n'));
}
const guide = readFileSync('docs/guide.md', 'utf8').split('\\n');
if (existsSync('docs/limits.md')) {
  guide.push('One more line.');
} else {
  guide.splice(9, 2, 'Line 10, written anew.', 'Line 11, written anew.', 'And one that was not there.');
  writeFileSync('docs/limits.md', '# Limits\\n\\nThere are none.\\n');
  rmSync('docs/old.md');
}
writeFileSync('docs/guide.md', guide.join('\\n'));
`;

/** A service, a browser, and jobs whose review pages it opens. */
export interface ReviewBench {
  local: LocalBench;
  browser: Browser;
  /** A finished job: its id and the address of its page, which `open` can access. */
  newJob(prompt?: string): Promise<{ id: string; link: string }>;
  /** Lets an agent continue that was told to hold. */
  release(): Promise<void>;
  /** Opens a page in a browser context of its own, with a one-time address. */
  open(link: string, options?: BrowserContextOptions): Promise<Page>;
  /** Closes everything that was opened since the last call. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** With a new repository. Uses the service and the browser of another bench if one is given. */
export async function reviewBench(settings: ServiceSettings = {}, shared?: ReviewBench): Promise<ReviewBench> {
  const home = await temporaryFolder();
  const [repo, agent, go] = [join(home, 'handbook'), join(home, 'agent.mjs'), join(home, 'go')];
  await createSampleRepository(repo);
  const lines = Array.from({ length: 20 }, (_, index) => `Line ${index + 1} of the guide.`);
  await writeFile(join(repo, 'docs', 'guide.md'), `${lines.join('\n')}\n`);
  await writeFile(join(repo, 'docs', 'old.md'), 'Nobody reads this.\n');
  await git(repo, 'add', '.');
  await git(repo, 'commit', '--quiet', '-m', 'Guide');
  await writeFile(agent, AGENT);
  const project = { repo, agentCommand: [testNode(), agent, go] };
  const local = await (shared === undefined
    ? localBench({ rateLimit: 10_000, ...settings, ...project })
    : projectAt(shared.local, project));
  const browser = shared?.browser ?? (await launchBrowser());
  const contexts: BrowserContext[] = [];
  const closePages = async (): Promise<void> => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  };
  return {
    local,
    browser,
    closePages,
    newJob: async (prompt = 'Bring the guide up to date') => {
      const { id } = await local.client.createJob(local.target, prompt);
      const { prLink, error } = await local.ended(id);
      if (prLink == null) {
        throw new Error(`the job has no page: ${String(error)}`);
      }
      return { id, link: prLink };
    },
    release: () => writeFile(go, ''),
    open: async (link, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
      contexts.push(context);
      context.setDefaultTimeout(WAIT_LIMIT);
      const page = await context.newPage();
      await openInBrowser(page, { target: local.target, jobId: link.split('/').at(-1) ?? '' });
      if (options.javaScriptEnabled !== false) {
        // Until then, the page may reload at any time.
        await page.locator('#review[data-checking="false"]').waitFor();
      }
      return page;
    },
    close: async () => {
      await closePages();
      if (shared === undefined) {
        await browser.close();
        await local.close();
      }
    },
  };
}
