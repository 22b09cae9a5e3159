import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { CaptureForge, gitea } from '../../support/captureForge';
import { addHook, GitServer } from '../../support/gitServer';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { scriptedServiceSettings } from '../../support/vscode/scriptedService';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

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

  it('that was pushed without a pull request gets one with the next follow-up, whatever that changes', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await tree.inlineAction('Document the lamp', 'Send Follow-up');
    await workbench.quickInput.answer('Open the pull request [scripted: change nothing]');
    await tree.expectRow(/Document the lamp.*pull request ready/, JOB_LIMIT);
    const job = (await exportedJobs(workbench)).find(({ title }) => title === 'Document the lamp');
    strictEqual(job?.prLink, 'https://gitea.example.org/robin/lighthouse/pulls/2');
  });
});
