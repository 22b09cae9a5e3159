import { match, ok, strictEqual, deepStrictEqual } from 'node:assert/strict';
import { git, createSampleRepository } from '../../support/temporaryRepository';
import { CaptureForge, gitea } from '../../support/captureForge';
import { addHook, GitServer } from '../../support/gitServer';
import { scriptedServiceSettings } from '../../support/vscode/scriptedService';
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
    await workbench.palette('Docs Agent: Show or Hide Merged and Closed Jobs');
    await tree.expectNoRow('Document the retry policy');
    await tree.expectRow('Say more about failing requests');
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await tree.expectRow('Say more about failing requests', JOB_LIMIT);
    await tree.expectNoRow('Document the retry policy');
    await workbench.palette('Docs Agent: Show or Hide Merged and Closed Jobs');
    await tree.expectRow(/Document the retry policy.*merged/, JOB_LIMIT);
    await tree.inlineAction('Document the retry policy', 'Send Follow-up');
    await workbench.quickInput.answer('Say it once more [scripted: wait 500]');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
  });

  it('is stopped from its row without a notice, and goes on with a follow-up', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Document the tides [scripted: wait 120000]' });
    await tree.expectRow(/Document the tides.*in progress/, JOB_LIMIT);
    await tree.contextMenu('Document the tides', 'Stop Job');
    await tree.expectRow(/Document the tides.*stopped/, JOB_LIMIT);
    await workbench.screenshot('local tools 1 stopped');
    await tree.inlineAction('Document the tides', 'Send Follow-up');
    await workbench.quickInput.answer('Document the tides');
    await tree.expectRow(/Document the tides.*pull request ready/, JOB_LIMIT);
    // The notice of this end comes after that of the one before, had there been one; a warning stays until it is closed.
    await workbench.toast('Pull request ready').expect(JOB_LIMIT);
    strictEqual(await workbench.toastCount('Job failed'), 0, 'who stopped it need not be told');
  });
});

const TOKEN = 'captured-token';

describe('a local job of a repository that has a code host', () => {
  const hosts: { server: GitServer; forge: CaptureForge; bare: string }[] = [];
  const window = useWindow(async () => {
    const [server, forge] = await Promise.all([GitServer.start(), CaptureForge.start(gitea)]);
    server.api = { origin: forge.server.url, prefix: '' };
    server.answers.set('/api/v1/version', { status: 200, body: { version: '1.23.1' } });
    // It is asked whether it is one of the others.
    ['/api/v4/version', '/api/v3'].forEach((path) => server.answers.set(path, { status: 404 }));
    const fill = async (workspace: string): Promise<void> => {
      await createSampleRepository(workspace);
      const bare = await server.add('robin/lighthouse', workspace);
      // As where the way without a token is switched off.
      await addHook(bare, 'update', 'case "$1" in refs/for/*) exit 1;; esac');
      await git(workspace, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
      hosts.push({ server, forge, bare });
    };
    return { fill, settings: scriptedServiceSettings() };
  });
  after(() => Promise.all(hosts.flatMap(({ server, forge }) => [server.close(), forge.server.close()])));

  it('is pushed there, and says how a pull request comes of it', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Document the lamp' });
    await workbench.tree('Jobs').expectRow(/Document the lamp.*pushed without a pull request/, JOB_LIMIT);
    await workbench.toast(/Pushed without a pull request: Document the lamp/).expect(JOB_LIMIT);
    await workbench.screenshot('code host 0 pushed');
    const [job] = await exportedJobs(workbench);
    const [host] = hosts;
    ok(host !== undefined);
    match(job?.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/robin\/lighthouse\//);
    strictEqual(host.forge.pulls.length, 0, 'nobody gave a token');
  });

  it('gets its pull request with a token that is entered, and a follow-up goes to the same', async () => {
    const { workbench } = window();
    const [host] = hosts;
    ok(host !== undefined);
    await workbench.palette('Docs Agent: Connect Code Host…');
    await workbench.quickInput.expectTitle(/^Connect 127\.0\.0\.1:\d+/);
    await workbench.screenshot('code host 1 how');
    await workbench.quickInput.pick('Enter a token');
    await workbench.quickInput.expectTitle(/^Token for 127/);
    ok(await workbench.quickInput.isPassword());
    await workbench.screenshot('code host 2 token');
    await workbench.quickInput.answer(TOKEN);
    await workbench.toast('open their pull requests on 127').expect(JOB_LIMIT);

    const tree = workbench.tree('Jobs');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Document the fog signal' });
    await tree.expectRow(/Document the fog signal.*pull request ready/, JOB_LIMIT);
    const job = (await exportedJobs(workbench)).find(({ title }) => title === 'Document the fog signal');
    strictEqual(job?.prLink, 'https://gitea.example.org/robin/lighthouse/pulls/1');
    const branch = `docs-agent/${job.id ?? ''}`;
    const before = await git(host.bare, 'rev-list', '--count', branch);

    await tree.inlineAction('Document the fog signal', 'Send Follow-up');
    await workbench.quickInput.answer('Say more about the fog signal [scripted: wait 500]');
    await tree.expectRow(/Document the fog signal.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the fog signal.*pull request ready/, JOB_LIMIT);
    strictEqual(host.forge.pulls.length, 1);
    strictEqual(Number(await git(host.bare, 'rev-list', '--count', branch)), Number(before) + 1);
    deepStrictEqual(host.forge.faults, []);
  });
});
