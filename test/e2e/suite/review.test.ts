import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { git } from '../../support/temporaryRepository';
import { expectNone, type Workbench } from '../../support/vscode/workbench';
import { checkoutRoot } from '../../support/vscode/paths';
import { useHostedWindow } from '../hostedWindow';
import { LINE, REF, comment, editComment, fillWithReviewed } from '../reviewedJob';

const LINK = 'https://github.com/acme/docs/pull/12';
const TITLE = 'Document the [limits]';

/** A line above `LINE`. */
const FIRST_LINE = 'A request can fail.';

describe('the result of a hosted job', () => {
  const { window, server, prompts } = useHostedWindow({
    settings: {
      'git.openRepositoryInParentFolders': 'never',
      // A second window would restore the changes, and the test couldn’t tell when it has opened them itself.
      'workbench.editor.restoreEditors': false,
    },
    companions: [join(checkoutRoot, 'test/support/vscode/pullRequestExtension')],
    fill: (workspace) => fillWithReviewed(workspace, `${FIRST_LINE}\n${LINE}\n`),
  });
  const openChanges = async (workbench: Workbench): Promise<void> => {
    await workbench.tree('Jobs').contextMenu(TITLE, 'Review Changes');
    const changed = workbench.page.locator('.multiDiffEntry:visible', { hasText: 'limits.md' }).first();
    await changed.getByText(LINE).first().waitFor();
    // The changes are open once they have the focus.
    await changed.locator('.monaco-editor.focused').waitFor();
  };
  /** A comment from an earlier session is shown beside its line, collapsed. */
  const unfold = async ({ page }: Workbench, text: string): Promise<void> => {
    const body = page.locator('.review-widget .comment-body', { hasText: text }).first();
    await page.locator('.comment-range-glyph[class*="comment-thread"]').first().click();
    await body.waitFor();
  };

  const branch = async (): Promise<string> => (await git(window().workspace, 'branch', '--show-current')).trim();

  before(async () => {
    const { workbench, workspace } = window();
    const repository = pathToFileURL(join(dirname(workspace), 'remote.git')).href;
    const source = { repository, ref: REF };
    server().choose = ({ method }) =>
      method === 'POST'
        ? { status: 201, body: { id: 'job1', status: 'active' } }
        : { body: { id: 'job1', status: 'completed', prLink: `${LINK}/files?w=1`, source } };
    await workbench.activityBar('Docs Agent');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.answer(TITLE);
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.tree('Jobs').expectRow(/Document the \[limits\].*pull request ready/);
  });

  it('opens in the pull request extension through the link that it handles', async () => {
    const { workbench } = window();
    const { page } = workbench;
    strictEqual(await workbench.badge('Docs Agent'), '1');
    await workbench.tree('Jobs').contextMenu(TITLE, 'Open Pull Request in Editor');
    // The editor's own confirmation, which remembers the decision.
    const seen = async (): Promise<string[]> =>
      workbench.host.run(() => (globalThis as { docsAgentSeenAddresses?: string[] }).docsAgentSeenAddresses ?? []);
    while ((await seen()).length === 0) {
      await page.waitForTimeout(100);
    }
    const [address = ''] = await seen();
    match(address, /^[\w-]+:\/\/github\.vscode-pull-request-github\/open-pull-request-webview\?/);
    strictEqual(new URL(address).searchParams.get('uri'), LINK);
    // Opening the pull request marks it as seen.
    await expectNone(page.locator('.activitybar .badge-content:visible'));
  });

  it('can be copied as a Markdown link', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').contextMenu(TITLE, 'Copy As…');
    await workbench.quickInput.expectTitle('Copy as');
    await workbench.screenshot('review 1 copy as');
    await workbench.quickInput.pick('as Markdown');
    while ((await workbench.clipboard()) !== `[Document the \\[limits\\]](${LINK}/files?w=1)`) {
      await workbench.page.waitForTimeout(100);
    }
  });

  it('is checked out once no local changes are in the way, and left again', async () => {
    const { workbench, workspace } = window();
    const readme = join(workspace, 'README.md');
    const committed = await readFile(readme, 'utf8');
    await writeFile(readme, 'Mine\n');
    await workbench.tree('Jobs').contextMenu(TITLE, 'Check Out Branch…');
    await workbench.page.locator('.monaco-dialog-box', { hasText: 'has uncommitted changes' }).waitFor();
    await workbench.screenshot('review 2 worktree');
    await workbench.dialog('1 file in handbook has uncommitted changes', 'Cancel');
    deepStrictEqual([await branch(), await readFile(readme, 'utf8')], ['main', 'Mine\n']);
    await writeFile(readme, committed);

    // Git itself refuses.
    const own = join(workspace, 'docs/limits.md');
    await writeFile(own, 'Mine\n');
    await workbench.tree('Jobs').contextMenu(TITLE, 'Check Out Branch…');
    await workbench.toast(/untracked working tree files would be overwritten by checkout: docs\/limits\.md/).expect();
    await workbench.screenshot('review 3 refused by git');
    strictEqual(await readFile(own, 'utf8'), 'Mine\n');
    await rm(own);

    await workbench.tree('Jobs').contextMenu(TITLE, 'Check Out Branch…');
    const done = /Checked out docs-agent\/limits in handbook/;
    await workbench.toast(done).expect();
    await workbench.screenshot('review 4 checked out');
    strictEqual(await branch(), REF);
    strictEqual(await readFile(own, 'utf8'), `${FIRST_LINE}\n${LINE}\n`);
    const way = workbench.page.locator('.statusbar-item', { hasText: 'On docs-agent/limits · Back to main' });
    await way.waitFor();
    await (await workbench.notification(done)).click('Back to main');
    await (await workbench.notification(/Back on main\./)).expect();
    await workbench.screenshot('review 5 back');
    strictEqual(await branch(), 'main');
    await expectNone(way);
  });

  it('accepts line comments, even in another window, and sends them all as one follow-up', async () => {
    const { workbench } = window();
    await workbench.host.command('notifications.clearAll');
    await openChanges(workbench);
    await comment(workbench, LINE, 'Since which version?');
    await workbench.tree('Jobs').expectRow(/1 unsent comment/);
    const other = await window().openAnother();
    await other.host.command('docsAgent.jobs.focus');
    await other.tree('Jobs').expectRow(/1 unsent comment/);
    await openChanges(other);
    await unfold(other, 'Since which version?');
    await editComment(other, 'Since which version?', ' Name it.');
    await comment(other, FIRST_LINE, 'Say why five');
    await other.screenshot('review windows 2 other');

    await workbench.tree('Jobs').contextMenu(TITLE, 'Send Review Comments…');
    await workbench.quickInput.pick('Edit First');
    const prompt = workbench.page.locator('.editor-instance .monaco-editor').first();
    await prompt.getByText('> Since which version? Name it.').waitFor();
    await workbench.tree('Jobs').expectRow(/2 unsent comments/);
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.tree('Jobs').expectNoRow(/unsent comments?/);
    await other.tree('Jobs').expectNoRow(/unsent comments?/);
    await expectNone(other.page.locator('.review-widget:visible'));
    await workbench.tree('Jobs').expectRow(/Document the \[limits\].*pull request ready/);
    strictEqual(prompts().length, 2);
    match(prompts()[1] ?? '', /> Since which version\? Name it\.[^]*> Say why five/);
  });
});
