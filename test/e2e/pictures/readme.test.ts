// `npm run pictures`: takes the pictures of the README in a real window.
import { fileURLToPath } from 'node:url';
import { JobPageFrame } from '../jobPageFrame';
import { localWindow, useWindow } from '../window';
import { animatedPng, type Frame, takePicture, writePicture } from './takePicture';

/** Turns off whatever would appear a moment later or move. */
const STILL = {
  'breadcrumbs.symbolPath': 'off',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.semanticHighlighting.enabled': false,
};

describe('the pictures in the README', () => {
  const window = useWindow(() => {
    const { fill, settings } = localWindow();
    const writer = fileURLToPath(new URL('writer.mjs', import.meta.url));
    const agent = { 'docsAgent.local.agentCommand': [process.execPath, writer] };
    const look = { ...STILL, 'workbench.colorTheme': 'Default Dark Modern', 'git.blame.statusBarItem.enabled': false };
    return Promise.resolve({ fill, settings: { ...settings, ...agent, ...look }, browser: 'packaged' });
  });

  it('show how a selection becomes a job and a result', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await page.setViewportSize({ width: 1120, height: 640 });
    await workbench.activityBar('Docs Agent');
    const tree = workbench.tree('Jobs');
    const create = (prompt: string): Promise<unknown> => workbench.host.command('docsAgent.createJob', { prompt });
    await create('Explain webhooks');
    await tree.expectRow(/Explain webhooks.*ready/);
    // The notification groups ended jobs for a moment; the picture shows one.
    await workbench.toast(/Explain webhooks/).expect();
    await workbench.host.command('notifications.clearAll');
    await workbench.statusBarItem('Job sent').waitFor({ state: 'hidden' });

    const frames: Frame[] = [];
    const show = async (ms: number): Promise<void> => void frames.push({ png: await takePicture(page), ms });
    await workbench.editor.open('src/retry.ts');
    await workbench.editor.select('attempts: number;');
    await show(1500);
    const text = await page.locator('.editor-instance .selected-text').first().boundingBox();
    await page.mouse.click((text?.x ?? 0) + 40, (text?.y ?? 0) + 8, { button: 'right' });
    const entry = page.locator('.context-view .monaco-menu .action-item', { hasText: 'New Docs Job from Selection…' });
    await entry.first().hover();
    await show(1800);
    await page.keyboard.press('Escape');
    workbench.host.start('docsAgent.createJobFromSelection');
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await workbench.quickInput.fill('Document the retry policy');
    await show(1800);
    await workbench.quickInput.accept();
    await tree.expectRow(/Document the retry policy.*in progress/);
    await show(1500);
    const notice = workbench.toast(/Changes ready to review.*Document the retry policy/);
    await notice.expect();
    await show(2200);
    await workbench.host.command('notifications.clearAll');
    await tree.click(/Document the retry policy/);
    const job = new JobPageFrame(workbench);
    await job.expectState('Changes ready');
    await job.expectText('retries.md');
    await show(3500);
    await writePicture('demo.png', animatedPng(frames));
  });

  it('show the job page', async () => {
    const { workbench } = window();
    await workbench.host.command('notifications.clearAll');
    await workbench.host.command('workbench.action.closeAllEditors');
    await workbench.page.setViewportSize({ width: 1120, height: 860 });
    await workbench.tree('Jobs').click(/Document the retry policy/);
    const page = new JobPageFrame(workbench);
    await page.expectState('Changes ready');
    await page.expectText('retries.md');
    await page.button('Send').waitFor();
    await writePicture('job-page.png', await takePicture(workbench.page));
  });
});
