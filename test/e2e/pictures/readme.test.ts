// `npm run pictures`: takes the pictures of the README in a real window.
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';
import { takeReadmePicture } from './takeReadmePicture';

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
    const look = { ...STILL, 'workbench.colorTheme': 'Default Dark Modern' };
    return Promise.resolve({ fill, settings: { ...settings, ...look }, browser: 'packaged' });
  });

  it('shows a selection, the list of jobs and a pull request that is ready', async () => {
    const { workbench } = window();
    await workbench.page.setViewportSize({ width: 1120, height: 640 });
    await workbench.activityBar('Docs Agent');
    const tree = workbench.tree('Jobs');
    const create = (prompt: string): Promise<unknown> => workbench.host.command('docsAgent.createJob', { prompt });
    await create('Check the changelog for gaps\n[scripted: change nothing]');
    await tree.expectRow(/Check the changelog.*finished/, JOB_LIMIT);
    await create('Explain webhooks');
    await tree.expectRow(/Explain webhooks.*ready/, JOB_LIMIT);
    // The notification groups ended jobs for a moment; the picture shows one.
    await workbench.toast(/Explain webhooks/).expect(JOB_LIMIT);
    await workbench.host.command('notifications.clearAll');
    await workbench.page.mouse.move(700, 620);
    await create('Describe rate limits\n[scripted: wait 120000]');
    await workbench.editor.open('src/retry.ts');
    await create('Document the retry policy');
    await workbench.toast(/Changes ready to review.*Document the retry policy/).expect(JOB_LIMIT);
    await workbench.statusBarItem('Job sent').waitFor({ state: 'hidden' });
    await takeReadmePicture(workbench.page, 'screenshot.png');
  });

  it('shows the job page', async () => {
    const { workbench } = window();
    await workbench.host.command('notifications.clearAll');
    await workbench.host.command('workbench.action.closeAllEditors');
    await workbench.page.setViewportSize({ width: 1120, height: 860 });
    await workbench.tree('Jobs').click(/Document the retry policy/);
    const page = new JobPageFrame(workbench);
    await page.expectState('Changes ready');
    await page.expectText('retry-policy.md');
    await page.button('Send').waitFor();
    await takeReadmePicture(workbench.page, 'job-page.png');
  });
});
