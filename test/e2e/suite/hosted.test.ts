import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exportedJobs } from '../windowState';
import { useHostedWindow } from '../hostedWindow';
import { expectNone } from '../../support/vscode/workbench';

const FORGE = 'https://forge.example';

/** An address that re-encoding would change: an encoded query, an encoded percent sign, an unnecessary escape. */
const LINK = `${FORGE}/o/r/pull/7?title=a%2Fb%20c&q=100%25&e=%2D#d%2De`;

/** Waits until a value that a click changes asynchronously is as expected. */
async function expect<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  for (let tries = 0; tries < 400 && (await read()) !== wanted; tries++) {
    await delay(100);
  }
  strictEqual(await read(), wanted);
}

const job = (status: string, more: object = {}): object => ({ status: 201, body: { id: 'job/1', status, ...more } });

/** Creates a workspace with two folders, each with its own project, and returns the path of its file. */
async function twoFolders(root: string): Promise<string> {
  for (const name of ['guide', 'reference']) {
    await mkdir(join(root, name, '.vscode'), { recursive: true });
    const settings = { 'docsAgent.projectId': `${name}-project` };
    await writeFile(join(root, name, '.vscode', 'settings.json'), JSON.stringify(settings));
    await writeFile(join(root, name, 'page.md'), `# A page of the ${name}\n`);
  }
  const file = join(root, 'two.code-workspace');
  await writeFile(file, JSON.stringify({ folders: [{ path: 'guide' }, { path: 'reference' }] }));
  return file;
}

describe('a hosted service that is not fully set up', () => {
  const { window, server: service } = useHostedWindow({
    settings: (url) => ({ 'docsAgent.baseUrl': `${url}/api` }),
    trustedOrigins: [FORGE],
  });
  before(() => (service().choose = undefined));

  it('asks for the missing settings and then continues with the command', async () => {
    const { workbench, workspace } = window();
    await workbench.activityBar('Docs Agent');
    service().answers = [{ status: 404, body: { error: 'no such job' } }];
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle('Connect: choose where jobs run');
    await workbench.quickInput.accept();
    await workbench.quickInput.expectTitle('Project for new jobs in handbook');
    await workbench.quickInput.answer('two words');
    await workbench.quickInput.expectMessage('can’t contain spaces');
    await workbench.quickInput.answer('docs-project');
    await workbench.quickInput.expectTitle('Save project docs-project for…');
    await workbench.quickInput.pick('For this folder');
    await workbench.quickInput.expectTitle(/^API key for 127/);
    await workbench.quickInput.answer('first-secret-of-this-test');
    await workbench.quickInput.expectTitle(/^New job for docs-project \(127\.0\.0\.1:\d+\)/);
    await workbench.quickInput.cancel();
    match(await readFile(join(workspace, '.vscode', 'settings.json'), 'utf8'), /"docsAgent.projectId": "docs-project"/);
    service().requests.length = 0;
  });

  it('asks for a missing key, keeps the prompt in the meantime, and sends it once the key is entered', async () => {
    const { workbench } = window();
    service().answers = [job('active'), job('completed', { prLink: LINK })];
    await workbench.host.run(async (vscode) => {
      void vscode.commands.executeCommand('docsAgent.clearApiKey');
    });
    await workbench.dialog('Remove the API key', 'Remove Key');
    await workbench.toast(/API key for .* removed/).expect();
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for docs-project \(127\.0\.0\.1:\d+\)/);
    await workbench.quickInput.answer('Explain the webhook');
    await workbench.quickInput.expectTitle(/^API key for 127/);
    await workbench.quickInput.answer('a key with spaces');
    await workbench.quickInput.expectMessage('can’t contain spaces');
    await workbench.screenshot('hosted 3 key');
    await workbench.quickInput.cancel();
    await workbench.page.getByText('is missing or was rejected').waitFor();
    await workbench.screenshot('hosted 3 key missing');
    strictEqual(service().requests.length, 0, 'nothing is sent without a key');
    await workbench.tree('Jobs').inlineAction('Explain the webhook', 'Send Now');
    await workbench.quickInput.expectTitle(/^API key for 127/);
    await workbench.quickInput.answer('secret-of-this-test');

    await workbench.tree('Jobs').expectRow(/Explain the webhook.*pull request ready/);
    await expectNone(workbench.page.getByText('is missing or was rejected'));
    const [create, poll] = service().requests;
    deepStrictEqual([create?.method, create?.path], ['POST', '/api/v2/agent/docs-project/job']);
    deepStrictEqual(JSON.parse(create?.body ?? ''), { prompt: 'Explain the webhook' });
    strictEqual(create?.headers.authorization, 'Bearer secret-of-this-test');
    deepStrictEqual([poll?.method, poll?.path], ['GET', '/api/v2/agent/docs-project/job/job%2F1']);
  });

  it('opens exactly the address that the service returned', async () => {
    const { workbench } = window();
    await workbench.page.context().route(`${FORGE}/**`, (route) => route.fulfill({ body: 'a pull request' }));
    const notice = workbench.toast(/Pull request ready on forge\.example: Explain the webhook/);
    await notice.expect();
    const page = await workbench.openedPage(() => notice.click('Open Pull Request'));
    strictEqual(page.url(), LINK);
    await page.close();
  });

  it('shows an unsafe link and opens nothing', async () => {
    const { workbench } = window();
    const link = 'command:workbench.action.quit?%5B1%5D';
    service().answers = [job('active', { id: 'job2' }), job('completed', { id: 'job2', prLink: link })];
    await workbench.host.command('docsAgent.createJob', { prompt: '[Click me](command:workbench.action.quit) now' });
    const notice = workbench.toast(/Pull request ready: .*Click me/);
    await notice.expect();
    strictEqual(await workbench.page.locator('.notification-list-item-message a').count(), 0, 'no text became a link');
    await notice.click('Open Pull Request');
    const warning = workbench.toast('wasn’t opened');
    await warning.click('Copy');
    await expect(() => workbench.clipboard(), link);
    await workbench.screenshot('hosted 4 unsafe link');
  });

  it('keeps a prompt whose response was lost and sends it again only on request', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    service().answers = [{ fault: 'reset' }];
    const posts = (): number => service().requests.filter(({ method }) => method === 'POST').length;
    const before = posts();
    workbench.host.start('docsAgent.createJob', { prompt: 'Explain the lost answer' });
    await tree.expectRow(/Explain the lost answer.*not confirmed/);
    await workbench.toast('The job may already exist').expect();
    strictEqual(posts() - before, 1);
    await workbench.screenshot('hosted 5 unconfirmed');
    await tree.inlineAction('Explain the lost answer', 'Send Now');
    await workbench.dialog('could create a duplicate', 'Cancel');
    strictEqual(posts() - before, 1);
    service().answers = [job('active', { id: 'job3' }), job('failed', { id: 'job3', error: 'no such branch' })];
    await tree.inlineAction('Explain the lost answer', 'Send Now');
    await workbench.dialog('could create a duplicate', 'Resend');
    await tree.expectRow(/Explain the lost answer.*failed/);
    await workbench.toast(/Job failed: Explain the lost answer \(no such branch\)/).expect();
    strictEqual(posts() - before, 2);
  });

  it('keeps a rejected prompt with the reason, to be changed or discarded', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    service().answers = [{ status: 400, body: { error: 'prompt too long' } }];
    workbench.host.start('docsAgent.createJob', { prompt: 'Explain everything' });
    await tree.expectRow(/Explain everything.*rejected/);
    await workbench.toast('The service rejected the prompt: prompt too long. Your prompt is saved').expect();
    await tree.contextMenu('Explain everything', 'Edit and Send…');
    await workbench.quickInput.expectValue('Explain everything');
    await workbench.quickInput.answer('Explain a little');
    await tree.expectRow(/Explain a little.*rejected/);
    await workbench.screenshot('hosted 6 refused');
    await tree.inlineAction('Explain a little', 'Discard');
    await workbench.toast('discarded').expect();
    strictEqual(
      (await exportedJobs(workbench)).some(({ title }) => title === 'Explain a little'),
      false,
    );
  });

  it('sends a prompt whose project was wrong to another one, which is saved', async () => {
    const { workbench, workspace } = window();
    service().answers = [
      { status: 404, body: { error: 'Project not found.' } },
      job('completed', { id: 'moved', prLink: LINK }),
    ];
    const { length } = service().requests;
    workbench.host.start('docsAgent.createJob', { prompt: 'Explain the wrong project' });
    const notice = workbench.toast('Project not found. Check the project ID. Your prompt is saved in the Jobs view.');
    await notice.expect();
    await workbench.screenshot('hosted 7 wrong project');
    await notice.click('Change Project…');
    await workbench.quickInput.expectTitle('Project for new jobs in handbook');
    await workbench.quickInput.expectValue('docs-project');
    await workbench.quickInput.answer('right-project');
    await workbench.tree('Jobs').expectRow(/Explain the wrong project.*pull request ready/);
    await workbench.screenshot('hosted 7 right project');
    const posts = service()
      .requests.slice(length)
      .flatMap(({ method, path }) => (method === 'POST' ? [path] : []));
    deepStrictEqual(posts, ['/api/v2/agent/docs-project/job', '/api/v2/agent/right-project/job']);
    match(
      await readFile(join(workspace, '.vscode', 'settings.json'), 'utf8'),
      /"docsAgent.projectId": "right-project"/,
    );
  });

  it('asks for the folder in a multi-root workspace unless the active editor determines it', async () => {
    service().answers = [job('completed', { id: 'a' }), job('completed', { id: 'b' })];
    const { length } = service().requests;
    const workbench = await window().openAnother(await twoFolders(window().workspace));
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.pick('reference');
    await workbench.quickInput.expectTitle(/^New job for reference-project/);
    await workbench.quickInput.answer('Explain the reference');
    await workbench.statusBarItem('Job sent to reference-project').waitFor();

    await workbench.editor.open('page.md');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for guide-project/);
    await workbench.quickInput.answer('Explain the guide');
    await workbench.statusBarItem('Job sent to guide-project').waitFor();
    deepStrictEqual(
      service()
        .requests.slice(length)
        .filter(({ method }) => method === 'POST')
        .map(({ path }) => path),
      ['/api/v2/agent/reference-project/job', '/api/v2/agent/guide-project/job'],
    );
  });
});
