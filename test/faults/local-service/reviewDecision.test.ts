import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { jobBranch, git } from '../../support/temporaryRepository';
import { type ReviewBench, reviewBench } from './reviewBench';

describe('review page, merge and close', function () {
  let shared: ReviewBench;
  let bench: ReviewBench;
  before(async () => (shared = await reviewBench()));
  after(() => shared.close());
  beforeEach(async () => (bench = await reviewBench({}, shared)));
  afterEach(() => bench.close());

  const repo = (...args: string[]): Promise<string> => git(bench.local.repo, ...args);
  const state = (page: Page): Promise<string> => page.locator('#state .word').innerText();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  /** Waits until a live region of the page says this. */
  const refused = (page: Page, words: string): Promise<void> => page.getByRole('status').getByText(words).waitFor();
  /** Waits until the page is rendered again, in this state. */
  const becomes = (page: Page, words: string): Promise<void> =>
    page.locator('#state .word').getByText(words, { exact: true }).waitFor();
  const headOf = async (branch: string): Promise<string> => (await repo('rev-parse', branch)).trim();

  it('adds one commit to the branch, says so, and shows the job as merged afterward', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    assert.equal(await state(page), 'Ready for review');
    assert.match(await page.locator('#merge-words').innerText(), /adds one commit to your branch “main”/);
    const before = await headOf('main');
    // A double click counts once.
    await button(page, 'Merge').dblclick();
    await becomes(page, 'Merged');
    assert.equal((await repo('rev-list', '--count', `${before}..main`)).trim(), '1');
    assert.equal(await repo('status', '--porcelain'), '');
    assert.match(await readFile(join(bench.local.repo, 'docs/guide.md'), 'utf8'), /written anew/);
    await page.reload();
    assert.equal(await state(page), 'Merged');
    assert.equal(await button(page, 'Merge').count(), 0);
    assert.equal(await page.locator('textarea').count(), 0, 'no more follow-ups');
  });

  it('merges into a branch that has moved on after the user has removed the obstacle', async () => {
    const { link, id } = await bench.newJob();
    const guide = join(bench.local.repo, 'docs/guide.md');
    await writeFile(join(bench.local.repo, 'mine.md'), 'Mine\n');
    await repo('add', '.');
    await repo('commit', '--quiet', '-m', 'Mine');
    const kept = await readFile(guide, 'utf8');
    await writeFile(guide, `${kept}Mine.\n`);
    const page = await bench.open(link);
    assert.match(await page.locator('#merge-words').innerText(), /^You have uncommitted changes in “docs\/guide\.md”/);
    await button(page, 'Merge').click();
    await refused(page, 'You have uncommitted changes in “docs/guide.md”');
    assert.equal(await state(page), 'Ready for review');
    assert.equal(await readFile(guide, 'utf8'), `${kept}Mine.\n`);
    await repo('checkout', '--', 'docs/guide.md');
    await button(page, 'Merge').click();
    await becomes(page, 'Merged');
    assert.equal((await repo('log', '-1', '--format=%(trailers:key=Docs-Agent-Job,valueonly)')).trim(), id);
    assert.equal(await repo('status', '--porcelain'), '');
  });

  it('does not merge work that differs from what the page shows', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await bench.local.client.sendMessage(bench.local.target, id, 'One more');
    await bench.local.ended(id);
    const before = await headOf('main');
    await button(page, 'Merge').click();
    await refused(page, 'This page is out of date.');
    assert.equal(await headOf('main'), before);
  });

  it('does not merge into a branch other than the one shown, or one that has changed since', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    await repo('checkout', '--quiet', '-b', 'other');
    await button(page, 'Merge').click();
    await refused(page, 'The work would now be merged into a different branch, “other”. Reload the page');
    await repo('checkout', '--quiet', 'main');
    await page.reload();
    await repo('commit', '--quiet', '--allow-empty', '-m', 'Mine');
    await button(page, 'Merge').click();
    await refused(page, 'Your branch “main” has changed since this page was opened.');
    assert.equal((await repo('rev-list', '--merges', '--all')).trim(), '');
  });

  it('merges only once when the answer is lost', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    const before = await headOf('main');
    const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' };
    await page.route('**/merge', async (route) => {
      const answer = await route.fetch({ headers: { ...route.request().headers(), ...own } });
      assert.equal(answer.status(), 200);
      await route.abort();
    });
    await button(page, 'Merge').click();
    await refused(page, 'The local service didn’t respond.');
    await page.unroute('**/merge');
    await button(page, 'Merge').click();
    await becomes(page, 'Merged');
    assert.equal((await repo('rev-list', '--count', `${before}..main`)).trim(), '1');
    await assert.rejects(jobBranch(bench.local.repo, id), /no branch/);
    assert.match(await page.locator('.command').innerText(), /^git branch docs-agent/);
  });

  it('sends the typed text as one follow-up, once, and shows the outcome', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await button(page, 'Send').click();
    assert.equal(await page.evaluate<string>('document.activeElement.id'), 'text', 'nothing is typed');
    await page.locator('#text').fill('Say why\nin a sentence.');
    const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' };
    await page.route('**/send', async (route) => {
      await route.fetch({ headers: { ...route.request().headers(), ...own } });
      await route.abort();
    });
    await button(page, 'Send').click();
    await refused(page, 'The local service didn’t respond.');
    assert.equal(await page.locator('#text').inputValue(), 'Say why\nin a sentence.');
    await page.unroute('**/send');
    await page.locator('#text').press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('One more line.').waitFor();
    assert.equal(await page.locator('#text').inputValue(), '');
    assert.deepEqual((await bench.local.ended(id))['turn'], 2);
    assert.match((await page.locator('.prompts').textContent()) ?? '', /Say why\nin a sentence\./);
  });

  it('decides nothing while a follow-up is typed, and loses no typed text', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await page.locator('#text').fill('Say why');
    for (const name of ['Merge', 'Close']) {
      await button(page, name).click();
      await refused(page, 'Send or delete your follow-up first.');
    }
    assert.equal((await bench.local.ended(id))['review'], undefined);
    await page.route('**/send', async (route) => {
      await page.locator('#text').fill('Say why\n\nAnd when');
      await route.continue();
    });
    await button(page, 'Send').click();
    await page.locator('.prompts li').nth(1).waitFor({ state: 'attached' });
    assert.equal(await page.locator('#text').inputValue(), 'Say why\n\nAnd when');
  });

  it('closes without merging, leaves the branch, and reopens after a follow-up from elsewhere', async () => {
    const { link, id } = await bench.newJob();
    const before = await headOf('main');
    const page = await bench.open(link);
    await button(page, 'Close').click();
    await becomes(page, 'Closed');
    await page.reload();
    assert.equal(await state(page), 'Closed');
    assert.equal(await headOf('main'), before);
    assert.notEqual(await headOf(await jobBranch(bench.local.repo, id)), before);
    await bench.local.client.sendMessage(bench.local.target, id, 'Go on');
    await bench.local.ended(id);
    await page.reload();
    assert.equal(await state(page), 'Ready for review');
  });

  it('shows when the agent is working, when it has finished, and why it failed', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await bench.local.client.sendMessage(bench.local.target, id, '[hold] Go on');
    await page.reload();
    assert.equal(await state(page), 'In progress');
    // Read aloud when the page reloads itself.
    assert.match(await page.title(), /^In progress: /);
    await button(page, 'Merge').click();
    await refused(page, 'The agent is working.');
    await bench.release();
    await becomes(page, 'Ready for review');
    assert.match(await page.title(), /^Ready for review: /);
    assert.ok((await page.locator('body').innerText()).includes('One more line.'));
    await bench.local.client.sendMessage(bench.local.target, id, '[fail] Go on');
    await bench.local.ended(id);
    await page.reload();
    assert.equal(await state(page), 'Failed');
    assert.match(await page.locator('#state .why').innerText(), /told to fail/);
  });

  it('reloads once when the run has ended, however long the service takes to render the page', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await bench.local.client.sendMessage(bench.local.target, id, '[hold] Go on');
    await page.reload();
    let loads = 0;
    await page.route(page.url(), async (route) => {
      loads += 1;
      // The page polls three times in the meantime.
      await setTimeout(7_000);
      await route.continue();
    });
    await bench.release();
    await becomes(page, 'Ready for review');
    assert.equal(loads, 1);
  });

  it('shows and merges the work even after the job’s own folders were archived', async () => {
    const { link, id } = await bench.newJob();
    await rm(join(bench.local.service.data, 'jobs', id), { recursive: true });
    const page = await bench.open(link);
    assert.ok((await page.locator('body').innerText()).includes('Line 10, written anew.'));
    await button(page, 'Merge').click();
    await becomes(page, 'Merged');
  });

  it('names what blocks a merge in the user’s checkout', async () => {
    const { link } = await bench.newJob();
    await repo('checkout', '--quiet', '--detach');
    const page = await bench.open(link);
    await repo('branch', '-D', 'main');
    await page.reload();
    assert.match(await page.locator('#merge-words').innerText(), /doesn’t contain|No branch is checked out/);
    await button(page, 'Merge').click();
    await refused(page, 'Check out the branch that you want to merge into and try again, or run “git merge');
    await rm(bench.local.repo, { recursive: true });
    await button(page, 'Merge').click();
    await refused(page, 'There is no folder');
  });
});
