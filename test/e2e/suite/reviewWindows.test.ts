import { match, strictEqual } from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workbench } from '../../support/vscode/workbench';
import { enterKey, useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';
import { LINE, REF, comment, editComment, fillWithReviewed } from '../reviewedJob';

const TITLE = 'Document the limits';

/** A line above the other one. */
const FIRST_LINE = 'A request can fail.';

describe('comments on the changes of a job, in two windows', () => {
  const { window, server, prompts } = useHostedWindow({
    fill: (workspace) => fillWithReviewed(workspace, `${FIRST_LINE}\n${LINE}\n`),
  });
  let other: Workbench;

  const openChanges = async (workbench: Workbench): Promise<void> => {
    await workbench.tree('Jobs').contextMenu(TITLE, 'Open Changes');
    const changed = workbench.page.locator('.multiDiffEntry', { hasText: 'limits.md' }).first();
    await changed.getByText(LINE).first().waitFor({ timeout: JOB_LIMIT });
  };
  /** A comment that was not made just now stands beside its line, folded. */
  const unfold = async ({ page }: Workbench, text: string): Promise<void> => {
    const body = page.locator('.review-widget .comment-body', { hasText: text }).first();
    await page.locator('.comment-range-glyph[class*="comment-thread"]').first().click({ timeout: JOB_LIMIT });
    await body.waitFor();
  };
  const remove = async ({ page }: Workbench, text: string): Promise<void> => {
    const made = page.locator('.review-widget', { hasText: text }).first();
    await made.locator('.action-label[aria-label^="Delete Comment"]').click();
  };

  before(async () => {
    const { workbench, workspace } = window();
    const source = { repository: pathToFileURL(join(dirname(workspace), 'remote.git')).href, ref: REF };
    server().choose = ({ method }) =>
      method === 'POST'
        ? { status: 201, body: { id: 'job1', status: 'active' } }
        : { body: { id: 'job1', status: 'completed', source } };
    await workbench.activityBar('Docs Agent');
    await enterKey(workbench);
    void workbench.host.command('docsAgent.createJob', { prompt: TITLE });
    await workbench.tree('Jobs').expectRow(/Document the limits.*finished/, JOB_LIMIT);
    await openChanges(workbench);
  });

  it('are back when a deletion is undone', async () => {
    const { workbench } = window();
    await comment(workbench, LINE, 'Since which version?');
    await workbench.tree('Jobs').expectRow(/1 comment to send/, JOB_LIMIT);
    await remove(workbench, 'Since which version?');
    const deleted = workbench.toast('Comment deleted.');
    await deleted.expect(JOB_LIMIT);
    await workbench.tree('Jobs').expectNoRow(/comment to send/);
    await workbench.screenshot('review windows 1 deleted');
    await deleted.click('Undo');
    await workbench.tree('Jobs').expectRow(/1 comment to send/);
    await unfold(workbench, 'Since which version?');
  });

  it('are there in the other, and go as that one has changed them', async () => {
    const { workbench } = window();
    other = await window().openAnother();
    await other.host.command('docsAgent.jobs.focus');
    await other.tree('Jobs').expectRow(/1 comment to send/, JOB_LIMIT);
    await openChanges(other);
    await unfold(other, 'Since which version?');
    await editComment(other, 'Since which version?', ' Name it.');
    await comment(other, FIRST_LINE, 'Say why five');
    await other.screenshot('review windows 2 other');

    await workbench.tree('Jobs').contextMenu(TITLE, 'Send Comments as One Follow-up…');
    const prompt = workbench.page.locator('.editor-instance .monaco-editor').first();
    await prompt.getByText('> Since which version? Name it.').waitFor({ timeout: JOB_LIMIT });
    await workbench.tree('Jobs').expectRow(/2 comments to send/);
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.tree('Jobs').expectNoRow(/comments? to send/);
    await other.tree('Jobs').expectNoRow(/comments? to send/);
    await other.page.locator('.review-widget:visible').waitFor({ state: 'detached' });
    await workbench.tree('Jobs').expectRow(/Document the limits.*finished/, JOB_LIMIT);
    strictEqual(prompts().length, 2);
    match(prompts()[1] ?? '', /> Since which version\? Name it\.[^]*> Say why five/);
  });

  it('do not go again from the other, nor when they were deleted there', async () => {
    const { workbench } = window();
    await other.tree('Jobs').contextMenu(TITLE, 'Open Changes');
    await comment(other, LINE, 'Never mind');
    await openChanges(workbench);
    await workbench.tree('Jobs').expectRow(/1 comment to send/, JOB_LIMIT);
    await remove(other, 'Never mind');
    await other.toast('Comment deleted.').expect(JOB_LIMIT);
    void workbench.host.command('docsAgent.sendReviewComments', 'job1');
    await workbench.toast('No comments yet').expect(JOB_LIMIT);
    await workbench.tree('Jobs').expectNoRow(/comment to send/);
    strictEqual(prompts().length, 2);
  });
});
