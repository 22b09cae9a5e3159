import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { exportedJobs, waitForSavedEditors } from '../windowState';
import { useHostedWindow } from '../hostedWindow';
import { JobPageFrame } from '../jobPageFrame';
import { expectNone } from '../../support/vscode/workbench';

const LINK = 'https://forge.example/o/r/pull/7';
describe('the job page', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'docsAgent.notifications': 'off' } }, 'active');
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);
  /** What the service reports about jobs from now on. */
  let more: Record<string, unknown> = { status: 'active' };

  before(() => {
    const made = server().choose;
    server().choose = (seen) => {
      const [, id] = /\/job\/(\w+)(\/message)?$/.exec(seen.path) ?? [];
      return id === undefined ? (made?.(seen) ?? {}) : { body: { id, ...more } };
    };
  });

  async function refresh(): Promise<void> {
    await window().workbench.host.command('docsAgent.refreshJobs');
  }

  async function keyOf(title: string): Promise<string> {
    const job = (await exportedJobs(window().workbench)).find((each) => each.title === title);
    ok(job !== undefined, title);
    return job.key;
  }

  it('opens from the row and shows the prompt and the running state', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    workbench.host.start('docsAgent.createJob', { prompt: 'Explain the webhook\nand its retries' });
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('key-of-this-test');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*in progress/);
    await workbench.tree('Jobs').contextMenu(/Explain the webhook/, 'Show Job');
    await page().expectState('In progress');
    await page().expectText('and its retries');
    deepStrictEqual(await page().tabs(), ['Explain the webhook']);
    deepStrictEqual(await page().primaries(), []);
    await page().frame.locator('summary', { hasText: 'Details' }).click();
    deepStrictEqual(await page().brokenLabels(), []);
    await workbench.screenshot('job page 1 running');
  });

  it('updates while it is open, and the end of the job counts as seen', async () => {
    const { workbench } = window();
    more = { status: 'completed', prLink: LINK, source: { repository: 'o/r', ref: 'docs/webhook' } };
    await refresh();
    await page().expectState('Pull request ready');
    await page().expectText('docs/webhook');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*pull request ready(?!.*unread)/);
    deepStrictEqual(await page().primaries(), ['Open Pull Request']);
    await page().frame.locator('.entries li', { hasText: 'Pull request ready' }).waitFor();
    strictEqual(await workbench.badge('Docs Agent'), '');
    await workbench.screenshot('job page 2 ready');
  });

  it('keeps the draft when its tab is closed and shares it with the input box', async () => {
    const { workbench } = window();
    await page().box.fill('Add an example');
    await workbench.host.command('workbench.action.closeActiveEditor');
    await expectNone(workbench.page.locator('iframe.webview'));
    await workbench.tree('Jobs').inlineAction('Explain the webhook', 'Send Follow-up');
    await workbench.quickInput.expectTitle(/^Follow-up to “Explain the webhook”/);
    await workbench.quickInput.expectValue('Add an example');
    await workbench.quickInput.fill('Add an example of a retry');
    await workbench.quickInput.cancel();
    // It is the only job.
    await workbench.palette('Docs Agent: Show Job');
    await page().expectDraft('Add an example of a retry');
  });

  it('sends a follow-up, as the input box does, and shows it', async () => {
    more = { status: 'active' };
    await page().box.press('Control+Enter');
    await page().expectDraft('');
    await page().expectState('In progress');
    deepStrictEqual(prompts().at(-1), 'Add an example of a retry');
    await page().expectText('Add an example of a retry');
    await page().expectText('can interrupt it');
    await window().workbench.screenshot('job page 3 follow-up');
  });

  it('is restored with its draft after a reload', async () => {
    const { workbench } = window();
    await workbench.host.command('docsAgent.createJob', { prompt: 'Second job' });
    await workbench.tree('Jobs').expectRow(/Second job.*in progress/);
    const key = await keyOf('Second job');
    await workbench.host.command('workbench.action.closeAllEditors');
    await waitForSavedEditors(workbench, (editors) => !editors.includes(key));
    await workbench.host.command('docsAgent.showJob', key);
    await page().box.fill('Say more');
    await workbench.host.command('docsAgent.jobs.focus');
    await waitForSavedEditors(workbench, (editors) => editors.includes(key));
    await workbench.reload();
    await page().frame.locator('h1', { hasText: 'Second job' }).waitFor();
    deepStrictEqual(await page().tabs(), ['Second job']);
    await page().expectText('Second job');
    await page().expectDraft('Say more');
  });
});
