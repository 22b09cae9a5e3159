import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

/** With this variable set, the pictures that the README shows are made anew. */
const UPDATE = process.env['DOCS_AGENT_UPDATE_PICTURES'] === '1';

describe('the pictures in the README', () => {
  const window = useWindow(() => {
    const { fill, settings } = localWindow();
    const look = { 'workbench.colorTheme': 'Default Dark Modern', 'editor.minimap.enabled': false };
    return Promise.resolve({ fill, settings: { ...settings, ...look } });
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
    // Its notice gathers ends for a moment; the picture shows one.
    await workbench.toast(/Explain webhooks/).expect(JOB_LIMIT);
    await workbench.host.command('notifications.clearAll');
    await workbench.page.mouse.move(700, 620);
    await create('Describe rate limits\n[scripted: wait 20000]');
    await workbench.editor.open('src/retry.ts');
    await create('Document the retry policy');
    await workbench.toast(/Pull request ready.*Document the retry policy/).expect(JOB_LIMIT);
    await keep(await workbench.screenshot('readme'), 'screenshot.png');
  });

  it('shows the page of a job', async () => {
    const { workbench } = window();
    await workbench.host.command('notifications.clearAll');
    await workbench.host.command('workbench.action.closeAllEditors');
    await workbench.page.setViewportSize({ width: 1120, height: 860 });
    await workbench.tree('Jobs').click(/Document the retry policy/);
    const page = new JobPageFrame(workbench);
    await page.expectState('Pull request ready');
    await page.expectText('retry-policy.md');
    await page.button('Send').waitFor();
    await keep(await workbench.screenshot('readme-page'), 'job-page.png');
  });
});

async function keep(picture: string, name: string): Promise<void> {
  if (UPDATE) {
    await copyFile(picture, join(checkoutRoot, 'media', name));
  }
}
