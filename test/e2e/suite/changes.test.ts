import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pickMenuEntry } from '../../support/vscode/menu';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

describe('changes from the source control view', () => {
  const window = useWindow({
    settings: { 'docsAgent.projectId': 'docs-project', 'git.openRepositoryInParentFolders': 'never' },
    fill: async (workspace) => {
      await createSampleRepository(workspace);
      await mkdir(join(workspace, 'docs'), { recursive: true });
      await writeFile(join(workspace, 'docs/limits.md'), 'A request is sent five times at most.\n');
      await git(workspace, 'add', '--all');
      await git(workspace, 'commit', '--quiet', '-m', 'Tell the limits');
      await writeFile(join(workspace, 'docs/limits.md'), 'A request is sent six times at most.\n');
    },
  });

  it('come into the composer by the button in its title', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.activityBar('Source Control');
    // Its title shows its buttons to who points there.
    await page.locator('.pane-header[aria-label^="Changes"]').first().hover({ timeout: JOB_LIMIT });
    const button = page.locator('.action-label[aria-label^="Document My Changes"]').first();
    await button.waitFor({ timeout: JOB_LIMIT });
    await workbench.screenshot('changes 1 button');
    await button.click();
    await workbench.quickInput.expectTitle(/^Which changes\?/);
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: /Working tree.*1 file/ }).waitFor();
    await workbench.screenshot('changes 2 choice');
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Working tree' }).click();
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('Update the documentation for these changes.').waitFor({ timeout: JOB_LIMIT });
    await editor.getByText('+A request is sent six times at most.').waitFor();
    await editor.getByText('Not visible to the hosted agent: uncommitted changes').waitFor();
    await workbench.screenshot('changes 3 composer');
  });

  it('are those of a commit that is chosen from the log', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('Docs Agent: Add Changes to Prompt…');
    await workbench.quickInput.expectTitle(/^Which changes\?/);
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Commit or range' }).click();
    await workbench.quickInput.expectTitle(/^Which commit\?/);
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Tell the limits' }).waitFor();
    await workbench.screenshot('changes 4 commits');
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Tell the limits' }).click();
    await page.keyboard.press('Enter');
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('+A request is sent five times at most.').waitFor({ timeout: JOB_LIMIT });
    await workbench.screenshot('changes 5 commit');
  });

  it('are those of a commit of the timeline’s file', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.editor.open('docs/limits.md');
    await workbench.palette('Explorer: Focus on Timeline View');
    const entry = page.locator('.timeline-tree-view .monaco-list-row', { hasText: 'Tell the limits' });
    await entry.waitFor({ timeout: JOB_LIMIT });
    await entry.click({ button: 'right' });
    const item = page.locator('.context-view .monaco-menu .action-item', { hasText: 'Document This Commit…' });
    await item.waitFor();
    await workbench.screenshot('changes 6 timeline');
    await pickMenuEntry(page, ['Document This Commit…']);
    await workbench.quickInput.expectTitle(/^A prompt for .* was begun and not sent/);
    await workbench.screenshot('changes 7 draft');
    await workbench.quickInput.pick('Add to the draft of');
    const editor = page.locator('.editor-instance .monaco-editor').first();
    await editor.getByText('Update the documentation for these changes.').waitFor({ timeout: JOB_LIMIT });
    await editor.getByText('+A request is sent five times at most.').nth(1).waitFor();
    await workbench.screenshot('changes 8 timeline commit');
  });
});
