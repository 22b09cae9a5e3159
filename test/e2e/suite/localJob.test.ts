import { match, ok, strictEqual } from 'node:assert/strict';
import { git } from '../../support/temporaryRepository';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

describe('a job with the local service', () => {
  const window = useWindow(localWindow());

  it('goes from a prompt in the palette to an opened pull request', async () => {
    const { workbench, workspace } = window();
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await workbench.quickInput.accept();
    await workbench.quickInput.expectMessage('An empty prompt is not sent');
    await workbench.screenshot('1 prompt');
    await workbench.quickInput.answer('Document the retry policy');

    await workbench.activityBar('Docs Agent');
    const tree = workbench.tree('Jobs');
    await tree.expectRow('Document the retry policy');
    await workbench.screenshot('2 row');
    const notice = workbench.toast(/Pull request ready.*Document the retry policy/);
    await notice.expect(JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/);
    strictEqual(await workbench.badge('Docs Agent'), '1');
    await workbench.screenshot('3 notification');

    const page = await workbench.openedPage(() => notice.click('Open pull request'));
    await page.getByText('retry-policy.md').first().waitFor();
    await page.screenshot({ path: 'out/screenshots/4-pull-request.png' });
    await page.close();
    const [job] = await exportedJobs(workbench);
    // The code is gone from the address, and the address that is kept opens nothing by itself.
    match(page.url(), new RegExp(`^${job?.prLink ?? 'none'}/[\\w-]{43}$`));
    strictEqual((await fetch(job?.prLink ?? '')).status, 403);
    // Whoever has opened the pull request has seen that it is there.
    await workbench.page.locator('.activitybar .badge-content:visible').waitFor({ state: 'detached' });
    match(await git(workspace, 'branch', '--list', 'docs-agent/*'), new RegExp(`docs-agent/${job?.id ?? 'none'}`));
  });

  it('takes the selected text from the editor’s context menu', async () => {
    const { workbench } = window();
    await workbench.editor.open('docs/getting-started.md');
    await workbench.editor.select('A request that fails is tried again');
    await workbench.editor.contextMenu('Docs Agent', 'New Docs Job from Selection…');
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await workbench.screenshot('5 selection');
    await workbench.quickInput.answer('Say more about failing requests');
    await workbench.tree('Jobs').expectRow(/Say more about failing requests.*pull request ready/, JOB_LIMIT);
    await workbench.screenshot('6 selection done');
  });

  it('is taken up again by a follow-up from its row', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await tree.inlineAction('Document the retry policy', 'Send Follow-up');
    await workbench.quickInput.expectTitle(/^Follow-up to “Document the retry policy”/);
    await workbench.quickInput.answer('Add an example [scripted: wait 1500]');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await workbench.screenshot('7 follow-up active');
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
    await workbench.screenshot('8 follow-up done');
    const job = (await exportedJobs(workbench)).find(({ title }) => title === 'Document the retry policy');
    strictEqual(job?.followUps, 1);
    ok(job.status === 'completed');
  });

  it('shows its changes in the editor, file by file', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').contextMenu('Document the retry policy', 'Open Changes');
    const editor = workbench.page.locator('.multiDiffEntry', { hasText: 'retry-policy.md' });
    await editor.first().waitFor({ timeout: JOB_LIMIT });
    await workbench.page.getByText('Document the retry policy').first().waitFor();
    await workbench.screenshot('8 changes');
  });

  it('comes back to the list when its removal is undone', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await tree.contextMenu('Document the retry policy', 'Remove from List');
    const undo = workbench.toast('Removed from the list: Document the retry policy');
    await undo.expect(JOB_LIMIT);
    await tree.expectNoRow('Document the retry policy');
    await undo.click('Undo');
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
  });

  it('says that it was merged on its page, and can hide, until a follow-up goes on with it', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    const job = (await exportedJobs(workbench)).find(({ title }) => title === 'Document the retry policy');
    const page = await workbench.openedPage(() => workbench.host.command('docsAgent.openPullRequest', job?.key));
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.locator('#state .word').getByText('Merged', { exact: true }).waitFor();
    await page.close();
    await workbench.palette('Docs Agent: Refresh Jobs');
    await tree.expectRow(/Document the retry policy.*merged/, JOB_LIMIT);
    await workbench.screenshot('9 merged');
    await workbench.palette('Docs Agent: Hide Jobs That Are Merged or Closed');
    await tree.expectNoRow('Document the retry policy');
    await tree.expectRow('Say more about failing requests');
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await tree.expectRow('Say more about failing requests', JOB_LIMIT);
    await tree.expectNoRow('Document the retry policy');
    await workbench.palette('Docs Agent: Show Jobs That Are Merged or Closed');
    await tree.expectRow(/Document the retry policy.*merged/, JOB_LIMIT);
    await tree.inlineAction('Document the retry policy', 'Send Follow-up');
    await workbench.quickInput.answer('Say it once more [scripted: wait 500]');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
  });
});
