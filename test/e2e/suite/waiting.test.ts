import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';
import { report } from '../../support/scale';
import { unusedPort } from '../../support/machine';
import type { Workbench } from '../../support/vscode/workbench';
import { exportedJobs, untilStatus } from '../windowState';
import { useWindow } from '../window';

/** A response to a POST that reports this job as active. */
const active = (id: string): ScriptedAnswer => ({ status: 201, body: { id, status: 'active' } });
const LINK = 'https://forge.example/o/r/pull/7';
const ready = { status: 'completed', prLink: LINK };

/** How long to wait for a notification that must not appear, in milliseconds. */
const SECOND_NOTICE = 2_000;

describe('prompts that cannot be sent at once', () => {
  const servers: ScriptedServer[] = [];
  let port = 0;
  const service = (): ScriptedServer => {
    const server = servers.at(-1);
    ok(server !== undefined);
    return server;
  };
  /** The responses to the next POSTs, in order, and the jobs that a poll reports as ended. */
  let answers: ScriptedAnswer[] = [];
  const over = new Map<string, object>();
  const start = async (at: number): Promise<void> => {
    const server = await ScriptedServer.startAt(at);
    server.choose = ({ method, path }) => {
      if (method === 'POST') {
        // A job that gets a follow-up runs again.
        over.delete(/\/job\/(\w+)\/message$/.exec(path)?.[1] ?? '');
        return answers.shift() ?? { status: 500 };
      }
      const id = path.split('/').at(-1) ?? '';
      const isJob = id.startsWith('job');
      return isJob ? { body: { id, status: 'active', ...over.get(id) } } : { status: 404 };
    };
    servers.push(server);
  };
  const posts = (): string[] =>
    service()
      .requests.filter(({ method }) => method === 'POST')
      .map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);

  const window = useWindow(async () => {
    port = await unusedPort();
    return { settings: { 'docsAgent.baseUrl': `http://127.0.0.1:${port}`, 'docsAgent.projectId': 'p1' } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const create = (workbench: Workbench, prompt: string): void =>
    workbench.host.start('docsAgent.createJob', { prompt });

  it('wait for the network and are sent automatically when it is back', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.activityBar('Docs Agent');
    create(workbench, 'Explain the outage');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await tree.expectRow(/Explain the outage.*waiting for network/);
    await workbench.screenshot('waiting 1 network');
    answers = [active('job1')];
    over.set('job1', ready);
    await start(port);
    await tree.expectRow(/Explain the outage.*pull request ready/);
    deepStrictEqual(posts(), ['Explain the outage']);
  });

  it('become the job whose ID is entered when the response was lost', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    answers = [{ fault: 'reset' }];
    create(workbench, 'Explain the reset');
    await tree.expectRow(/Explain the reset.*not confirmed/);
    over.set('job5', ready);
    await tree.contextMenu('Explain the reset', 'Track Existing Job…');
    await workbench.quickInput.expectTitle(/Job ID for/);
    await workbench.screenshot('waiting 4 job id');
    await workbench.quickInput.answer('job5');
    await tree.expectRow(/Explain the reset.*pull request ready/);
  });

  it('appear with their jobs in every window within about a second, and one window reports each end', async () => {
    const { workbench } = window();
    const other = await window().openAnother();
    await other.activityBar('Docs Agent');
    await other.tree('Jobs').expectRow(/Explain the outage/);
    answers = [active('job6')];
    create(workbench, 'Explain both windows');
    await workbench.tree('Jobs').expectRow(/Explain both windows, in progress/);
    const shown = Date.now();
    await other.tree('Jobs').expectRow(/Explain both windows, in progress/);
    const late = Date.now() - shown;
    over.set('job6', ready);
    const told = /ready.*Explain both windows/;
    await Promise.any([workbench, other].map((each) => each.toast(told).expect()));
    await other.tree('Jobs').expectRow(/Explain both windows, pull request ready/);
    await workbench.tree('Jobs').expectRow(/Explain both windows, pull request ready/);
    await workbench.page.waitForTimeout(SECOND_NOTICE);
    const counts = await Promise.all([workbench, other].map((each) => each.notificationCount(told)));
    strictEqual((counts[0] ?? 0) + (counts[1] ?? 0), 1, `notifications: ${counts.join(' and ')}`);
    await other.screenshot('waiting 6 second window');
    const jobs = await Promise.all([workbench, other].map(exportedJobs));
    deepStrictEqual(jobs[0]?.map(({ key }) => key).toSorted(), jobs[1]?.map(({ key }) => key).toSorted());
    await other.page.close();
    report({ promise: 'L7', what: 'a job made in one real window', figure: `in the other one ${late} ms later` });
  });

  describe('because they are follow-ups to a running job', () => {
    let before = 0;
    const sent = (): string[] => posts().slice(before);

    const end = async (workbench: Workbench, how: string): Promise<void> => {
      over.set('job8', { status: how });
      await workbench.host.command('docsAgent.refreshJobs');
    };

    it('ask once and, if the user chooses so, wait for the run to end', async () => {
      const { workbench } = window();
      const tree = workbench.tree('Jobs');
      answers = [active('job8')];
      before = posts().length;
      workbench.host.start('docsAgent.createJob', { prompt: 'Explain the queue' });
      await tree.expectRow(/Explain the queue, in progress/);
      workbench.host.start('docsAgent.sendFollowUp', 'job8');
      await workbench.quickInput.expectMessage('still working');
      await workbench.screenshot('follow-ups 1 box');
      await workbench.quickInput.answer('Then translate it');
      await workbench.quickInput.expectBusy();
      await workbench.dialog('Interrupt the current run', 'Cancel');
      await workbench.quickInput.expectIdle();
      await workbench.quickInput.expectValue('Then translate it');
      await workbench.quickInput.accept();
      await workbench.screenshot('follow-ups 2 question');
      await workbench.dialog('Interrupt the current run', 'Send After This Run');
      await tree.expectRow(/Then translate it, queued until this run finishes/);
      await workbench.screenshot('follow-ups 3 waits');
      deepStrictEqual(sent(), ['Explain the queue']);
    });

    it('survive a reload and are sent automatically once', async () => {
      const { workbench } = window();
      await workbench.reload();
      await workbench.host.command('docsAgent.jobs.focus');
      const tree = workbench.tree('Jobs');
      await tree.expectRow(/Then translate it, queued until this run finishes/);
      answers = [active('job8')];
      await end(workbench, 'completed');
      await tree.expectNoRow('Then translate it');
      deepStrictEqual(sent(), ['Explain the queue', 'Then translate it']);
      await untilStatus(workbench, 'Explain the queue', 'active');
    });
  });
});
