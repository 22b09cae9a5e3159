// Runs on the oldest editor that package.json supports: the main flow from a prompt to its result, with either service.
import { match, strictEqual } from 'node:assert/strict';
import { ScriptedServer } from '../../support/scriptedServer';
import { jobBranch, git } from '../../support/temporaryRepository';
import { chosenRelease } from '../../support/vscode/paths';
import { exportedJobs } from '../windowState';
import { JobPageFrame } from '../jobPageFrame';
import { changeSettings, localWindow, useWindow } from '../window';

const PULL_REQUEST = 'https://forge.example/o/r/pull/7';

describe('the oldest supported editor', () => {
  const window = useWindow({ ...localWindow(), trustedOrigins: [new URL(PULL_REQUEST).origin] });

  const services: ScriptedServer[] = [];
  after(() => Promise.all(services.map((service) => service.close())));

  it('takes a prompt from the palette to a pull request', async () => {
    const { workbench, workspace } = window();
    strictEqual(await workbench.host.run((vscode) => vscode.version), chosenRelease().version);
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await workbench.quickInput.answer('Document the retry policy');
    await workbench.activityBar('Docs Agent');
    await workbench.toast(/Changes ready to review.*Document the retry policy/).expect();
    await workbench.tree('Jobs').expectRow(/Document the retry policy.*changes ready/);
    const [job] = await exportedJobs(workbench);
    match(
      await git(workspace, 'branch', '--list', 'docs-agent/*'),
      new RegExp(await jobBranch(workspace, job?.id ?? 'none')),
    );
    // The review page is not opened here: this release's web server drops the path and query of local addresses.
  });

  it('shows the job page and accepts a follow-up there', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').contextMenu('Document the retry policy', 'Show Job');
    const page = new JobPageFrame(workbench);
    await page.frame.locator('section.changes').getByText('retry-policy.md').first().waitFor();
    await workbench.screenshot('oldest 1 page of a job');
    await page.box.fill('Add an example [scripted: wait 1500]');
    await page.box.press('Control+Enter');
    await page.expectDraft('');
    await page.expectText('Add an example');
    await workbench.tree('Jobs').expectRow(/Document the retry policy.*in progress/);
    const [job] = await exportedJobs(workbench);
    strictEqual(job?.followUps, 1);
    await workbench.tree('Jobs').expectRow(/Document the retry policy.*changes ready/);
  });

  it('shows the changes and restores the list after a reload', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').contextMenu('Document the retry policy', 'Review Changes');
    await workbench.page.locator('.multiDiffEntry:visible', { hasText: 'retry-policy.md' }).first().waitFor();
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await workbench.tree('Jobs').expectRow(/Document the retry policy/);
  });

  it('asks for the key of a hosted service when it is needed, stores it, and opens the pull request', async () => {
    const { workbench, profile } = window();
    const hosted = await ScriptedServer.start();
    services.push(hosted);
    hosted.answers = [
      { status: 201, body: { id: 'job1', status: 'active' } },
      { body: { id: 'job1', status: 'completed', prLink: PULL_REQUEST } },
    ];
    await profile.route(`${PULL_REQUEST}**`, (route) => route.fulfill({ body: 'a pull request' }));
    await changeSettings(workbench, { service: null, baseUrl: hosted.url, projectId: 'docs-project' });
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for docs-project/);
    await workbench.quickInput.answer('Explain the webhook');
    await workbench.quickInput.expectTitle(/^API key for 127/);
    await workbench.quickInput.answer('secret-of-this-test');
    const notice = workbench.toast(/Pull request ready on forge\.example: Explain the webhook/);
    await notice.expect();
    const page = await workbench.openedPage(() => notice.click('Open Pull Request'));
    strictEqual(page.url(), PULL_REQUEST);
    strictEqual(hosted.requests[0]?.headers.authorization, 'Bearer secret-of-this-test');
    await page.close();
  });
});
