import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Workbench } from '../../support/vscode/workbench';
import { untilStatus } from '../exportedJobs';
import { useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

describe('follow-ups to a running job', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'workbench.colorTheme': 'Default Light Modern' } });
  /** What the service says of each job. */
  let status = 'active';

  before(() => {
    let made = 0;
    server().choose = ({ method, path }) => {
      if (method === 'GET') {
        return { body: { id: /job\d+/.exec(path)?.[0], status } };
      }
      status = 'active';
      const id = /job\d+/.exec(path)?.[0] ?? `job${++made}`;
      return { status: 201, body: { id, status } };
    };
  });

  const end = async (workbench: Workbench, how: string): Promise<void> => {
    status = how;
    await workbench.host.command('docsAgent.refreshJobs');
  };

  it('are asked about once, and go when the run has ended where the user wants that', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.activityBar('Docs Agent');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Explain the queue' });
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await tree.expectRow(/Explain the queue, in progress/, JOB_LIMIT);
    void workbench.host.command('docsAgent.sendFollowUp', 'job1');
    await workbench.quickInput.expectMessage('still running');
    await workbench.screenshot('follow-ups 1 box');
    await workbench.quickInput.answer('Then translate it');
    await workbench.quickInput.expectBusy();
    await workbench.dialog('Interrupt the present work', 'Cancel');
    await workbench.quickInput.expectIdle();
    await workbench.quickInput.expectValue('Then translate it');
    await workbench.quickInput.accept();
    await workbench.screenshot('follow-ups 2 question');
    await workbench.dialog('Interrupt the present work', 'Send when this run ends');
    await tree.expectRow(/Then translate it, waits for the end of this run/, JOB_LIMIT);
    await workbench.screenshot('follow-ups 3 waits');
    deepStrictEqual(prompts(), ['Explain the queue']);
  });

  it('outlive a reload, and go by themselves, once', async () => {
    const { workbench } = window();
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Then translate it, waits for the end of this run/, JOB_LIMIT);
    await end(workbench, 'completed');
    await tree.expectNoRow('Then translate it');
    deepStrictEqual(prompts(), ['Explain the queue', 'Then translate it']);
    await untilStatus(workbench, 'active', JOB_LIMIT);
  });

  it('are held when the run failed, until the user lets them go', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    void workbench.host.command('docsAgent.sendFollowUp', 'job1');
    await workbench.quickInput.fill('Then check the links');
    await workbench.quickInput.press('Send when this run ends');
    await tree.expectRow(/Then check the links, waits for the end of this run/, JOB_LIMIT);
    await tree.contextMenu('Then check the links', 'Change and Send…');
    await workbench.quickInput.expectMessage('It goes by itself when the present run has ended well');
    await workbench.screenshot('follow-ups 4 change');
    await workbench.quickInput.answer('Then check all links');
    await tree.expectRow(/Then check all links, waits for the end of this run/, JOB_LIMIT);
    strictEqual(prompts().length, 2, 'a change makes nothing go earlier');
    await end(workbench, 'failed');
    await tree.expectRow(/Then check all links, held: the run failed/, JOB_LIMIT);
    const notice = workbench.toast('The follow-up that waited for this run is held until you decide');
    await notice.expect(JOB_LIMIT);
    await workbench.screenshot('follow-ups 5 held');
    strictEqual(prompts().length, 2);
    await tree.inlineAction('Then check all links', 'Send Now');
    await tree.expectNoRow('Then check all links');
    strictEqual(prompts().at(-1), 'Then check all links');
  });
});
