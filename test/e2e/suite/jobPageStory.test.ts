import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

describe('the story on the page of a local job', () => {
  const window = useWindow(async () => {
    const { fill, settings } = localWindow();
    const agent = join(checkoutRoot, 'test', 'support', 'scriptedAcpAgent.mjs');
    const acp = {
      'docsAgent.local.agentCommand': [process.execPath, agent],
      'docsAgent.local.agentProtocol': 'acp',
      'docsAgent.notifications': 'off',
    };
    return { ...(fill === undefined ? {} : { fill }), settings: { ...settings, ...acp } };
  });
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);

  async function show(prompt: string): Promise<void> {
    const { workbench } = window();
    void workbench.host.command('docsAgent.createJob', { prompt });
    const title = new RegExp(prompt.split(' [')[0] ?? '');
    await workbench.tree('Jobs').expectRow(title, JOB_LIMIT);
    await workbench.tree('Jobs').contextMenu(title, 'Show Job');
  }

  before(() => window().workbench.activityBar('Docs Agent'));

  it('tells the plan and each step while the agent works', async () => {
    await show('Explain the webhook [scripted: plan] [scripted: run ls docs] [scripted: wait 600000]');
    await page().frame.getByText('Look round').first().waitFor({ timeout: JOB_LIMIT });
    await page()
      .frame.getByText(/^Refused: ls docs/)
      .first()
      .waitFor({ timeout: JOB_LIMIT });
    await window().workbench.screenshot('job page story live');
  });

  it('offers no branch of a job that failed before it had one, but to follow up', async () => {
    await show('Explain the limits [scripted: fail]');
    await page().expectState('Failed', JOB_LIMIT);
    deepStrictEqual(await page().primaries(), ['Follow up']);
    const facts = await page().frame.locator('dt').allInnerTexts();
    ok(facts.includes('Repository') && !facts.includes('Branch'), facts.join());
    strictEqual(await page().button('Open changes').count(), 0);
    strictEqual(await page().button('Check out branch').count(), 0);
    await window().workbench.screenshot('job page failed without a branch');
  });

  it('shows the changed files when the job has ended, and opens one', async () => {
    const { workbench } = window();
    await show('Document the limits [scripted: plan] [scripted: edit README.md]');
    const changes = page().frame.locator('section.changes');
    await changes.getByText('README.md').first().waitFor({ timeout: JOB_LIMIT });
    await page().frame.getByText('Finished').first().waitFor({ timeout: JOB_LIMIT });
    await workbench.screenshot('job page story changes');
    await changes.getByRole('button', { name: /README\.md/ }).click();
    await workbench.page.locator('.monaco-diff-editor').getByText('An edit that was asked for.').first().waitFor();
    ok((await page().tabs()).some((title) => title.startsWith('README.md (Document the limits')));
    await workbench.screenshot('job page story diff');
  });
});
