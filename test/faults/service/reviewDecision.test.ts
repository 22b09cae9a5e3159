import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../contract/contractBench';
import { git } from '../../support/temporaryRepository';
import { type ReviewBench, reviewBench } from './reviewBench';

describe('review page, merge and close', function () {
  this.timeout(120_000);
  let bench: ReviewBench;
  beforeEach(async () => {
    bench = await reviewBench();
  });
  afterEach(() => bench.close());

  const repo = (...args: string[]): Promise<string> => git(bench.local.repo, ...args);
  const state = (page: Page): Promise<string> => page.locator('#state .word').innerText();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const decided = (page: Page, words: string): Promise<void> => page.locator('#decided').getByText(words).waitFor();
  const headOf = async (branch: string): Promise<string> => (await repo('rev-parse', branch)).trim();

  it('moves the branch forward, says so, and is merged from then on', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    assert.equal(await state(page), 'Ready for review');
    assert.match(await page.locator('#merge-words').innerText(), /“main” moves forward to this work/);
    // Twice in a row is once.
    await button(page, 'Merge').dblclick();
    await decided(page, 'Merged: your branch “main” moved forward.');
    assert.equal(await state(page), 'Merged');
    assert.equal(await headOf('main'), await headOf(`docs-agent/${id}`));
    assert.equal(await repo('status', '--porcelain'), '');
    assert.match(await readFile(join(bench.local.repo, 'docs/guide.md'), 'utf8'), /written anew/);
    await page.reload();
    assert.equal(await state(page), 'Merged');
    assert.equal(await button(page, 'Merge').count(), 0);
    assert.equal(await page.locator('button.ln').count(), 0, 'no more comments');
  });

  it('makes a merge commit, after the user has cleared the way', async () => {
    const { link, id } = await bench.newJob();
    const guide = join(bench.local.repo, 'docs/guide.md');
    await writeFile(join(bench.local.repo, 'mine.md'), 'Mine\n');
    await repo('add', '.');
    await repo('commit', '--quiet', '-m', 'Mine');
    const kept = await readFile(guide, 'utf8');
    await writeFile(guide, `${kept}Mine.\n`);
    const page = await bench.open(link);
    assert.match(await page.locator('#merge-words').innerText(), /it gets a merge commit/);
    await button(page, 'Merge').click();
    await decided(page, 'You have uncommitted changes in “docs/guide.md”');
    assert.equal(await state(page), 'Ready for review');
    assert.equal(await readFile(guide, 'utf8'), `${kept}Mine.\n`);
    await repo('checkout', '--', 'docs/guide.md');
    await button(page, 'Merge').click();
    await decided(page, 'Merged: your branch “main” got a merge commit.');
    assert.equal((await repo('log', '-1', '--format=%s')).trim(), `Merge branch 'docs-agent/${id}'`);
    assert.equal(await repo('status', '--porcelain'), '');
  });

  it('does not merge what its reader has not seen', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await bench.local.client.sendMessage(bench.local.target, id, 'One more');
    await bench.local.ended(id);
    const before = await headOf('main');
    await button(page, 'Merge').click();
    await decided(page, 'There are newer changes than this page shows.');
    assert.equal(await headOf('main'), before);
  });

  it('does not merge into another branch than it names, or one that its reader has not seen so', async () => {
    const { link } = await bench.newJob();
    await repo('branch', 'old', 'HEAD~1');
    const page = await bench.open(link);
    await repo('checkout', '--quiet', '-b', 'other');
    await button(page, 'Merge').click();
    await decided(page, 'Your checkout is on “other” now, and this page was opened while it was on “main”.');
    await repo('checkout', '--quiet', 'old');
    await page.reload();
    assert.match(await page.locator('#merge-words').innerText(), /made on “main”. Your checkout is on “old”/);
    await button(page, 'Merge').click();
    await decided(page, 'Run “git switch main” and reload the page');
    await repo('checkout', '--quiet', 'main');
    await page.reload();
    await repo('commit', '--quiet', '--allow-empty', '-m', 'Mine');
    await button(page, 'Merge').click();
    await decided(page, 'Your branch “main” has changed since this page was opened.');
    assert.equal((await repo('rev-list', '--merges', '--all')).trim(), '');
  });

  it('does once what it was asked for when the answer is lost', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' };
    await page.route('**/merge', async (route) => {
      const answer = await route.fetch({ headers: { ...route.request().headers(), ...own } });
      assert.equal(answer.status(), 200);
      await route.abort();
    });
    await button(page, 'Merge').click();
    await decided(page, 'Nothing happens twice if you try again.');
    await page.unroute('**/merge');
    await button(page, 'Merge').click();
    await decided(page, 'holds this work already');
    assert.equal(await headOf('main'), await headOf(`docs-agent/${id}`));
  });

  it('closes, merges nothing and leaves the branch; a follow-up from elsewhere opens it again', async () => {
    const { link, id } = await bench.newJob();
    const before = await headOf('main');
    const page = await bench.open(link);
    await button(page, 'Close').click();
    await decided(page, 'Closed. Nothing was merged; the branch is still there.');
    assert.equal(await state(page), 'Closed');
    await page.reload();
    assert.equal(await state(page), 'Closed');
    assert.equal(await headOf('main'), before);
    assert.notEqual(await headOf(`docs-agent/${id}`), before);
    await bench.local.client.sendMessage(bench.local.target, id, 'Go on');
    await bench.local.ended(id);
    await page.reload();
    assert.equal(await state(page), 'Ready for review');
  });

  it('tells while the agent works, when it has ended, and why it failed', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await bench.local.client.sendMessage(bench.local.target, id, '[hold] Go on');
    await page.reload();
    assert.equal(await state(page), 'In progress');
    await button(page, 'Merge').click();
    await decided(page, 'The agent is at work.');
    await bench.release();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await until(async () => (await state(page)) === 'Ready for review', 30_000);
    assert.ok((await page.locator('body').innerText()).includes('One more line.'));
    await bench.local.client.sendMessage(bench.local.target, id, '[fail] Go on');
    await bench.local.ended(id);
    await page.reload();
    assert.equal(await state(page), 'Failed');
    assert.match(await page.locator('#state .why').innerText(), /told to fail/);
  });

  it('shows and merges the work also when the job’s own folders were put away', async () => {
    const { link, id } = await bench.newJob();
    await rm(join(bench.local.service.data, 'jobs', id), { recursive: true });
    const page = await bench.open(link);
    assert.ok((await page.locator('body').innerText()).includes('Line 10, written anew.'));
    await button(page, 'Merge').click();
    await decided(page, 'Merged: your branch “main” moved forward.');
  });

  it('names what stands in the way in the user’s checkout', async () => {
    const { link } = await bench.newJob();
    await repo('checkout', '--quiet', '--detach');
    const page = await bench.open(link);
    assert.match(await page.locator('#merge-words').innerText(), /Your checkout is not on a branch/);
    await button(page, 'Merge').click();
    await decided(page, 'Your checkout is not on a branch. Switch to the branch to merge into, then try again.');
    await rm(bench.local.repo, { recursive: true });
    await button(page, 'Merge').click();
    await decided(page, 'There is no folder');
  });
});
