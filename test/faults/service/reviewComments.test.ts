import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { localBench } from '../../contract/contractBench';
import { openInBrowser } from '../../support/reviewPage';
import { type ReviewBench, reviewBench } from './reviewBench';

const GUIDE = 'docs/guide.md';

describe('review page, comments', function () {
  this.timeout(120_000);
  let bench: ReviewBench;
  before(async () => {
    bench = await reviewBench();
  });
  afterEach(() => bench.closePages());
  after(() => bench.close());

  const line = (page: Page, number: number, path = GUIDE): Locator =>
    page
      .locator(`article[data-path="${path}"]`)
      .getByRole('button', { name: new RegExp(`^Comment on line ${number}(, added)?$`) });
  const group = (page: Page, lines: string, path = GUIDE): Locator =>
    page.getByRole('group', { name: `Comment on ${lines} of ${path}`, exact: true });
  const send = (page: Page): Locator => page.locator('#send-button');
  const news = (page: Page): Locator => page.locator('#news');

  /** Waits until the page says this. */
  const says = (page: Page, words: string): Promise<void> => news(page).getByText(words).waitFor();

  it('are made by mouse on a line and on a range, and sent as one follow-up', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    await line(page, 9).click();
    await line(page, 12).click({ modifiers: ['Shift'] });
    assert.equal(await group(page, 'lines 9 to 12').count(), 1);
    assert.equal(await group(page, 'line 9').count(), 0);
    await group(page, 'lines 9 to 12').getByRole('textbox').fill('Say why, in a sentence.');
    await line(page, 1, 'docs/limits.md').click();
    await group(page, 'line 1', 'docs/limits.md').getByRole('textbox').fill('A better title, please.');
    await page.getByRole('button', { name: 'Comment on line 1, deleted' }).click();
    await group(page, 'line 1 before the change', 'docs/old.md').getByRole('textbox').fill('Keep it.');
    assert.equal(await send(page).innerText(), 'Send 3 comments');
    await send(page).click();
    await says(page, 'The agent has ended, and there are new changes.');
    assert.ok(await page.locator('#send').isHidden());
    assert.equal(await page.locator('.comment').count(), 0);
    assert.equal(await bench.prompts(page), 2);
    const message = (await page.locator('.prompts > li').nth(1).textContent()) ?? '';
    for (const part of [
      'Please work on these 3 comments of the review.',
      '1. In `docs/guide.md`, lines 9 to 12:',
      'Line 9 of the guide.\nLine 10, written anew.\nLine 11, written anew.\nAnd one that was not there.',
      '> Say why, in a sentence.',
      '2. In `docs/limits.md`, line 1:',
      '3. In `docs/old.md`, line 1 of the version before the change:',
      'Nobody reads this.',
    ]) {
      assert.ok(message.includes(part), part);
    }
    assert.ok((await page.locator('body').innerText()).includes('One more line.'));
  });

  it('are made and sent by keyboard alone', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    await page.getByRole('button', { name: 'Split' }).focus();
    // The next stops are the region that scrolls, and one line of its table.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = (): Promise<string> => page.evaluate(`document.activeElement.getAttribute('aria-label') ?? ''`);
    assert.match(await focused(), /^Comment on line 7$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await focused(), /^Comment on line 9$/);
    for (let step = 0; step < 5; step++) {
      await page.keyboard.press('Shift+ArrowDown');
    }
    assert.equal(await page.locator('#whisper').textContent(), 'Lines 9 to 12');
    await page.keyboard.press('Enter');
    assert.equal(await focused(), 'Your comment');
    assert.equal(await group(page, 'lines 9 to 12').count(), 1);
    await page.keyboard.type('By keyboard.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.comment').count(), 0, 'removed');
    assert.match(await focused(), /^Comment on line 12, added$/);
    await page.keyboard.press('Enter');
    await page.keyboard.type('By keyboard.');
    await send(page).focus();
    await page.keyboard.press('Enter');
    await says(page, 'The agent has ended');
    assert.equal(await bench.prompts(page), 2);
  });

  it('are kept over a reload and a change of the view, and go when they are removed', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    await line(page, 9).click();
    await group(page, 'line 9').getByRole('textbox').fill('Kept');
    await page.reload();
    assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'Kept');
    await page.getByRole('button', { name: 'Split' }).click();
    assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'Kept');
    await page.reload();
    assert.equal(await page.getByRole('button', { name: 'Split' }).getAttribute('aria-pressed'), 'true');
    assert.equal(await send(page).innerText(), 'Send 1 comment');
    await group(page, 'line 9').getByRole('button', { name: 'Remove' }).click();
    await page.reload();
    assert.equal(await page.locator('.comment').count(), 0);
    assert.ok(await page.locator('#send').isHidden());
  });

  it('are kept when they could not be sent, and then sent once', async () => {
    const { link } = await bench.newJob();
    const page = await bench.open(link);
    await line(page, 9).click();
    await group(page, 'line 9').getByRole('textbox').fill('Once');
    await page.route('**/comments', (route) => route.abort());
    await send(page).click();
    await says(page, 'Your comments are kept here.');
    assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'Once');
    await page.unroute('**/comments');
    await page.reload();
    assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'Once');
    await send(page).click();
    await says(page, 'The agent has ended');
    assert.equal(await bench.prompts(page), 2);
  });

  for (const then of ['reload', 'send again']) {
    it(`make exactly one follow-up when the answer is lost: ${then}`, async () => {
      const { link } = await bench.newJob();
      const page = await bench.open(link);
      await line(page, 9).click();
      await group(page, 'line 9').getByRole('textbox').fill('Exactly once');
      const statuses: number[] = [];
      const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' };
      await page.route('**/comments', async (route) => {
        const answer = await route.fetch({ headers: { ...route.request().headers(), ...own } });
        statuses.push(answer.status());
        await route.abort();
      });
      // So that the page can't ask whether they have arrived.
      await page.route('**/state', (route) => route.abort());
      await send(page).click();
      await says(page, 'Nothing is sent twice if you send again.');
      assert.deepEqual(statuses, [200]);
      assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'Exactly once');
      // Until it has asked in vain: a request in whose midst its route is taken away may never end.
      await page.locator('#send-button[aria-disabled="false"]').waitFor();
      await page.unroute('**/state');
      await page.unroute('**/comments');
      await (then === 'reload' ? page.reload() : send(page).click());
      await page.locator('#send').waitFor({ state: 'hidden' });
      await says(page, 'The agent');
      assert.equal(await bench.prompts(page), 2);
    });
  }

  it('make exactly one follow-up when the service was killed before its answer came', async () => {
    const { link, id } = await bench.newJob();
    const page = await bench.open(link);
    await line(page, 9).click();
    await group(page, 'line 9').getByRole('textbox').fill('Over a kill');
    const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' };
    await page.route('**/comments', async (route) => {
      const answer = await route.fetch({ headers: { ...route.request().headers(), ...own } });
      assert.equal(answer.status(), 200);
      await bench.local.service.kill();
      await route.abort();
    });
    await send(page).click();
    await says(page, 'Nothing is sent twice if you send again.');
    await page.unroute('**/comments');
    const { service, repo } = bench.local;
    const again = await localBench({
      repo,
      data: service.data,
      port: service.port,
      key: service.key,
      rateLimit: 10_000,
      agentCommand: ['true'],
    });
    try {
      await send(page).click();
      await says(page, 'Open the page again from the editor.');
      const anew = await page.context().newPage();
      await openInBrowser(anew, { target: again.target, jobId: id });
      await group(anew, 'line 9').waitFor();
      await send(anew).click();
      await anew.locator('#send').waitFor({ state: 'hidden' });
      await again.ended(id);
      assert.equal(await bench.prompts(anew), 2);
    } finally {
      await again.close();
      await bench.close();
      bench = await reviewBench();
    }
  });

  it('say in words that the limit is reached, and are kept', async () => {
    const limited = await reviewBench({ rateLimit: 1 });
    try {
      const { link, id } = await limited.newJob();
      await limited.local.client.sendMessage(limited.local.target, id, 'The one that is allowed');
      await limited.local.ended(id);
      const page = await limited.open(link);
      await line(page, 9).click();
      await group(page, 'line 9').getByRole('textbox').fill('One too many');
      await send(page).click();
      await says(page, 'The limit of 1 requests per project and hour is reached. Your comments are kept here.');
      assert.equal(await group(page, 'line 9').getByRole('textbox').inputValue(), 'One too many');
      assert.equal(await limited.prompts(page), 2);
    } finally {
      await limited.close();
    }
  });
});
