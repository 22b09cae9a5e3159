import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { CaptureForge, gitea } from '../../support/captureForge';
import { addHook, GitServer } from '../../support/gitServer';
import { jobBranch, git } from '../../support/temporaryRepository';
import { exportedJobs, untilStatus } from '../windowState';
import { JobPageFrame } from '../jobPageFrame';
import { localWindow, useWindow } from '../window';
import { expectNone } from '../../support/vscode/workbench';

const TOKEN = 'captured-token';

/** How long to wait for a notification that must not appear, in milliseconds. */
const SECOND_NOTICE = 2_000;

describe('a job of the local service', () => {
  const window = useWindow(localWindow());
  const jobWith = async (title: string): Promise<Job | undefined> =>
    (await exportedJobs(window().workbench)).find((job) => job.title === title);

  describe('by keyboard alone', () => {
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) {
        await window().workbench.page.keyboard.press(key);
      }
    };
    const type = (text: string): Promise<void> => window().workbench.page.keyboard.type(text);
    /** The input box at the top of the window, once it has the focus. */
    const box = (): Locator =>
      window().workbench.page.locator('.quick-input-widget:visible .quick-input-box input:focus');
    const list = (): Locator => window().workbench.page.locator('.sidebar .monaco-list:focus-within').first();
    const view = (): Locator => {
      const { page } = window().workbench;
      return page.locator('.sidebar .pane', { has: page.locator('.pane-header[aria-label^="Jobs"]') });
    };
    /** Presses the chord that ends in this key until its result appears: keys can get lost while a window opens. */
    const chord = async (last: string, brings: Locator): Promise<void> => {
      for (let attempt = 0; attempt < 10 && (attempt === 0 || !(await brings.isVisible())); attempt += 1) {
        await press('Control+K', 'Control+G', last);
        await brings.waitFor({ timeout: 4_000 }).catch(() => undefined);
      }
      await brings.waitFor();
    };
    /** Returns the accessible name of the focused row of the list. */
    const focusedRow = (): Promise<string> =>
      window().workbench.page.evaluate<string>(`(() => {
      const row = document.querySelector('.sidebar .monaco-list:focus-within .monaco-list-row.focused, .sidebar .monaco-list:focus .monaco-list-row.focused');
      return row?.getAttribute('aria-label') ?? '';
    })()`);
    /** Presses the key until the row with this name has the focus. */
    const goTo = async (row: RegExp, key: string): Promise<void> => {
      await list().waitFor();
      for (let step = 0; step < 20 && !row.test(await focusedRow()); step += 1) {
        await press(key);
        await window().workbench.page.waitForTimeout(50);
      }
      ok(row.test(await focusedRow()), `the focus is at ${await focusedRow()}`);
    };

    const openList = (): Promise<void> => chord('Control+L', list());
    /** Selects an entry of the focused row's menu with the keyboard. */
    const pickFromMenu = async (label: string): Promise<void> => {
      const { page } = window().workbench;
      const menu = page.locator('.context-view .monaco-menu');
      await press('Shift+F10');
      await menu.waitFor();
      const entry = menu.locator('.action-item.focused', { has: page.getByText(label, { exact: true }) });
      for (let step = 0; step < 30 && !(await entry.isVisible()); step += 1) {
        await press('ArrowDown');
      }
      ok(await entry.isVisible(), `${label} is not in the menu`);
      await press('Enter');
    };

    before(async () => {
      // Clicks are counted from here on.
      await window().workbench.page.evaluate(`(() => {
      window.clicks = 0;
      window.addEventListener('pointerdown', () => { window.clicks += 1; }, true);
    })()`);
    });

    afterEach(async () => strictEqual(await window().workbench.page.evaluate('window.clicks'), 0));

    it('starts from a prompt, and its row can be reached and has an accessible name', async () => {
      const { workbench } = window();
      await chord('Control+J', box());
      await workbench.quickInput.expectTitle(/^New job for handbook/);
      await type('Document the harbor lights');
      await press('Enter');
      await workbench.quickInput.expectClosed();
      await chord('Control+L', view());
      await workbench.tree('Jobs').expectRow(/Document the harbor lights.*changes ready/);
      // A list that was never shown can take the focus only once it has rows.
      await openList();
      await goTo(/^Document the harbor lights, changes ready/, 'ArrowDown');
    });

    it('shows its changes through the menu of its row, and accepts a comment on them', async () => {
      const { workbench } = window();
      const { page } = workbench;
      await pickFromMenu('Review Changes');
      const changed = page.locator('.multiDiffEntry:visible', { hasText: 'harbor-lights.md' }).first();
      await changed.locator('.modified .view-line').first().waitFor();
      await changed.locator('.modified .native-edit-context:focus, .modified textarea:focus').waitFor();
      await chord('Control+R', page.locator('.review-widget .comment-form .native-edit-context:focus'));
      await page.locator('.review-widget').getByText('What should change here? Ctrl+Enter saves it.').waitFor();
      await workbench.screenshot('keyboard comment box');
      await type('Name the harbor');
      await workbench.screenshot('keyboard comment');
      await press('Control+Enter');
      await workbench.tree('Jobs').expectRow(/Document the harbor lights.*1 unsent comment/);
      // The keys go to the changes again.
      const inChanges = changed.locator('.modified .native-edit-context:focus, .modified textarea:focus');
      await inChanges.waitFor();
      await press('ArrowDown');
      await page.locator('.statusbar-item', { hasText: 'Ln 2, Col 1' }).waitFor();
      await workbench.screenshot('keyboard comment saved');
      await press('Control+F4');
    });

    it('opens its page from the row, and the box there accepts a follow-up', async () => {
      const { workbench } = window();
      const page = new JobPageFrame(workbench);
      await openList();
      await goTo(/^Document the harbor lights/, 'ArrowDown');
      await press('Enter');
      await page.expectState('Changes ready');
      // The focus stays in the list so that users can preview one job after the other; a second Enter moves it to the
      // page.
      await press('Enter');
      const area = page.frame.locator('textarea:focus');
      for (let step = 0; step < 60 && !(await area.isVisible()); step += 1) {
        await press('Tab');
      }
      await area.waitFor();
      await type('Mention the limits [scripted: wait 1000]');
      await workbench.screenshot('keyboard page');
      await press('Control+Enter');
      const tree = workbench.tree('Jobs');
      await tree.expectRow(/Document the harbor lights.*in progress/);
      await tree.expectRow(/Document the harbor lights.*changes ready/);
      await page.expectText('Mention the limits');
    });

    it('can be renamed with F2 and removed with Delete', async () => {
      const { workbench } = window();
      const tree = workbench.tree('Jobs');
      await openList();
      await goTo(/^Document the harbor lights/, 'ArrowDown');
      await press('F2');
      await workbench.quickInput.expectTitle(/name/i);
      await box().waitFor();
      await press('Control+A');
      await type('Retries');
      await press('Enter');
      await tree.expectRow(/^Retries, 1 unsent comment, changes ready/);
      await openList();
      await goTo(/^Retries/, 'ArrowDown');
      await press('Delete');
      await tree.expectNoRow(/^Retries/);
      await workbench.screenshot('keyboard removed');
    });
  });

  it('runs from a prompt in the command palette to an opened pull request', async () => {
    const { workbench, workspace } = window();
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await workbench.quickInput.accept();
    await workbench.quickInput.expectMessage('Enter a prompt');
    await workbench.screenshot('1 prompt');
    await workbench.quickInput.answer('Document the retry policy');

    await workbench.host.command('docsAgent.jobs.focus');
    const tree = workbench.tree('Jobs');
    await tree.expectRow('Document the retry policy');
    await workbench.screenshot('2 row');
    const notice = /Changes ready to review.*Document the retry policy/;
    await workbench.toast(notice).expect();
    await tree.expectRow(/Document the retry policy.*changes ready/);
    strictEqual(await workbench.badge('Docs Agent'), '1');
    await workbench.screenshot('3 notification');

    await (await workbench.notification(notice)).click('Review Changes');
    await workbench.page.locator('.multiDiffEntry:visible', { hasText: 'retry-policy.md' }).first().waitFor();
    await workbench.host.command('workbench.action.closeAllEditors');

    const own = (await jobWith('Document the retry policy'))?.key;
    const page = await workbench.openedPage(() => workbench.host.command('docsAgent.openPullRequest', own));
    await page.getByText('retry-policy.md').first().waitFor();
    await page.screenshot({ path: 'out/screenshots/4-pull-request.png' });
    await page.close();
    const job = await jobWith('Document the retry policy');
    // The code is removed from the address, and the remaining address alone opens nothing.
    match(page.url(), new RegExp(`^${job?.prLink ?? 'none'}/[\\w-]{43}$`));
    strictEqual((await fetch(job?.prLink ?? '')).status, 403);
    // Opening the pull request marks it as seen.
    await expectNone(workbench.page.locator('.activitybar .badge-content:visible'));
    match(
      await git(workspace, 'branch', '--list', 'docs-agent/*'),
      new RegExp(await jobBranch(workspace, job?.id ?? 'none')),
    );
  });

  it('stops from its row without a notification and continues with a follow-up', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    workbench.host.start('docsAgent.createJob', { prompt: 'Document the tides [scripted: wait 120000]' });
    await tree.expectRow(/Document the tides.*in progress/);
    await tree.contextMenu('Document the tides', 'Stop Job');
    await tree.expectRow(/Document the tides.*stopped/);
    await workbench.screenshot('local tools 1 stopped');
    await tree.inlineAction('Document the tides', 'Send Follow-up');
    await workbench.quickInput.answer('Document the tides');
    await tree.expectRow(/Document the tides.*changes ready/);
    // This notification would come after the one for the stopped run, if there were one.
    await workbench.toast('Changes ready to review').expect();
    strictEqual(await workbench.notificationCount('Job failed'), 0, 'who stopped it need not be told');
  });

  it('is not the one in front when keys or the palette are used on another row', async () => {
    const { workbench } = window();
    const { keyboard } = workbench.page;
    await workbench.tree('Jobs').click('Document the retry policy');
    await new JobPageFrame(workbench).expectState('Changes ready');
    await keyboard.press('ArrowUp');
    for (const key of ['Control+K', 'Control+G', 'Control+F']) {
      await keyboard.press(key);
    }
    await workbench.quickInput.expectTitle(/Document the tides/);
    await workbench.screenshot('focused row, key');
    await workbench.quickInput.cancel();
    await workbench.palette('Docs Agent: Send Follow-up…');
    await workbench.quickInput.expectTitle('Select a job to follow up on');
    await workbench.screenshot('focused row, palette');
    await keyboard.press('Enter');
    await workbench.quickInput.expectTitle(/Document the tides/);
    await workbench.quickInput.cancel();
  });

  it('shows in the browser and in the list that it was merged, and can be hidden', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    const job = await jobWith('Document the retry policy');
    const open = () => workbench.openedPage(() => workbench.host.command('docsAgent.openPullRequest', job?.key));
    const page = await open();
    await page.getByText('Ready for review', { exact: true }).waitFor();
    await page.getByText(/^node service\.mjs merge /).waitFor();
    await page.close();
    workbench.host.start('docsAgent.mergeJob', job?.key);
    await workbench.dialog(/Accept “Document the retry policy” and merge it into “main”/, 'Merge');
    await workbench.toast(/Accepted “Document the retry policy”: merged into “main”/).expect();
    const merged = await open();
    await merged.getByText('Merged', { exact: true }).waitFor();
    await merged.getByText(/^git branch docs-agent\/document-the-retry-policy-/).waitFor();
    await merged.close();
    await tree.expectRow(/Document the retry policy.*merged/);
    await workbench.screenshot('9 merged');
    await workbench.palette('Docs Agent: Filter and View Options…');
    await workbench.quickInput.expectTitle('Filter and view options');
    await workbench.screenshot('9 view options');
    await workbench.quickInput.pick('Merged and closed jobs');
    await workbench.screenshot('9 view options changed');
    await workbench.page.keyboard.press('Escape');
    await tree.expectNoRow('Document the retry policy');
    await tree.expectRow('Document the tides');
  });

  it('survives a reload and is reported once; a hidden job stays hidden until a follow-up', async () => {
    const { workbench, workspace } = window();
    // The job continues only after both windows have seen it running, however long a reload takes.
    const seen = join(dirname(workspace), 'seen');
    const prompt = `Document reloading [scripted: until ${seen}]`;
    await workbench.host.command('notifications.clearAll');
    workbench.host.start('docsAgent.createJob', { prompt });
    await untilStatus(workbench, prompt, 'active');
    await workbench.reload();
    await untilStatus(workbench, prompt, 'active');
    await writeFile(seen, '');
    await workbench.screenshot('reload 1 active');

    const notice = /Changes ready to review.*Document reloading/;
    await workbench.toast(notice).expect();
    await workbench.screenshot('reload 2 notification');
    await delay(SECOND_NOTICE);
    strictEqual(await workbench.notificationCount(notice), 1);

    const tree = workbench.tree('Jobs');
    await workbench.host.command('docsAgent.jobs.focus');
    await tree.expectRow('Document the tides');
    await tree.expectNoRow('Document the retry policy');
    await workbench.palette('Docs Agent: Filter and View Options…');
    await workbench.quickInput.pick('Show all jobs');
    await tree.expectRow(/Document the retry policy.*merged/);
    await tree.inlineAction('Document the retry policy', 'Send Follow-up');
    await workbench.quickInput.answer('Say it once more [scripted: wait 500]');
    await tree.expectRow(/Document the retry policy.*in progress/);
    await tree.expectRow(/Document the retry policy.*changes ready/);
  });

  describe('in a repository with a Git host', () => {
    const hosts: { server: GitServer; forge: CaptureForge; bare: string }[] = [];
    before(async () => {
      const { workbench, workspace } = window();
      const [server, forge] = await Promise.all([GitServer.start(), CaptureForge.start(gitea)]);
      server.api = { origin: forge.server.url, prefix: '' };
      server.answers.set('/api/v1/version', { status: 200, body: { version: '1.23.1' } });
      // The extension probes for the other kinds of Git host.
      ['/api/v4/version', '/api/v3'].forEach((path) => server.answers.set(path, { status: 404 }));
      const bare = await server.add('robin/lighthouse', workspace);
      // Simulates a host that does not allow pull requests without a token.
      await addHook(bare, 'update', 'case "$1" in refs/for/*) exit 1;; esac');
      await git(workspace, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
      // As after a push, because commits that the user has not published are not pushed with a job.
      await git(workspace, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
      hosts.push({ server, forge, bare });
      await workbench.host.command('notifications.clearAll');
    });
    after(() => Promise.all(hosts.flatMap(({ server, forge }) => [server.close(), forge.server.close()])));

    it('is pushed there without a pull request, and the notification says so', async () => {
      const { workbench } = window();
      workbench.host.start('docsAgent.createJob', { prompt: 'Document the lamp' });
      await workbench.tree('Jobs').expectRow(/Document the lamp.*pushed/);
      await workbench.toast(/Branch pushed, no pull request: Document the lamp/).expect();
      await workbench.screenshot('Git host 0 pushed');
      const job = await jobWith('Document the lamp');
      const [host] = hosts;
      ok(host !== undefined);
      match(job?.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/robin\/lighthouse\//);
      strictEqual(host.forge.pulls.length, 0, 'nobody gave a token');
    });

    it('gets a pull request with an entered token, and a follow-up updates the same one', async () => {
      const { workbench } = window();
      const [host] = hosts;
      ok(host !== undefined);
      await workbench.palette('Docs Agent: Manage Local Service…');
      await workbench.quickInput.expectTitle('Local service (running)');
      await workbench.screenshot('Git host 0 service');
      await workbench.quickInput.pick('Sign in to Git host');
      await workbench.quickInput.expectTitle(/^Sign in to 127\.0\.0\.1:\d+/);
      await workbench.screenshot('Git host 1 how');
      await workbench.quickInput.pick('Enter a token');
      await workbench.quickInput.expectTitle(/^Token for 127/);
      ok(await workbench.quickInput.isPassword());
      await workbench.screenshot('Git host 2 token');
      await workbench.quickInput.answer(TOKEN);
      await workbench.toast('can now open pull requests on 127').expect();

      const tree = workbench.tree('Jobs');
      workbench.host.start('docsAgent.createJob', { prompt: 'Document the fog signal' });
      await tree.expectRow(/Document the fog signal.*pull request ready/);
      const job = await jobWith('Document the fog signal');
      strictEqual(job?.prLink, 'https://gitea.example.org/robin/lighthouse/pulls/1');
      const branch = await jobBranch(host.bare, job.id ?? '');
      const before = await git(host.bare, 'rev-list', '--count', branch);

      await tree.inlineAction('Document the fog signal', 'Send Follow-up');
      await workbench.quickInput.answer('Say more about the fog signal [scripted: wait 500]');
      await tree.expectRow(/Document the fog signal.*in progress/);
      await tree.expectRow(/Document the fog signal.*pull request ready/);
      strictEqual(host.forge.pulls.length, 1);
      strictEqual(Number(await git(host.bare, 'rev-list', '--count', branch)), Number(before) + 1);
      deepStrictEqual(host.forge.faults, []);
    });
  });
});
