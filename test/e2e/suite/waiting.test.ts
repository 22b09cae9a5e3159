import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';
import { report } from '../../support/scale';
import type { Workbench } from '../../support/vscode/workbench';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

/** What the service answers to a POST with this job's id. */
const active = (id: string): ScriptedAnswer => ({ status: 201, body: { id, status: 'active' } });
const LINK = 'https://forge.example/o/r/pull/7';
const ready = { status: 'completed', prLink: LINK };

describe('prompts that can’t be sent at once', () => {
  const servers: ScriptedServer[] = [];
  let port = 0;
  const service = (): ScriptedServer => {
    const server = servers.at(-1);
    ok(server !== undefined);
    return server;
  };
  /** What the next POSTs are answered, in order; and the jobs that are over when they are asked for. */
  let answers: ScriptedAnswer[] = [];
  const over = new Map<string, object>();
  const start = async (at: number): Promise<void> => {
    const server = await ScriptedServer.startAt(at);
    server.choose = ({ method, path }) => {
      if (method === 'POST') {
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
    const server = await ScriptedServer.start();
    const { url } = server;
    port = Number(new URL(url).port);
    await server.close();
    return { settings: { 'docsAgent.baseUrl': url, 'docsAgent.projectId': 'p1' } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const create = (workbench: Workbench, prompt: string): void =>
    void workbench.host.command('docsAgent.createJob', { prompt });

  it('wait for the network and go by themselves when it is back', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.activityBar('Docs Agent');
    create(workbench, 'Explain the outage');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await tree.expectRow(/Explain the outage.*waits for the network/, JOB_LIMIT);
    await workbench.toast('is sent by itself as soon as that works').expect(JOB_LIMIT);
    await workbench.screenshot('waiting 1 network');
    answers = [active('job1')];
    over.set('job1', ready);
    await start(port);
    await tree.expectRow(/Explain the outage.*pull request ready/, 60_000);
    deepStrictEqual(posts(), ['Explain the outage']);
  });

  it('wait for a new key, all of them, and go on with it', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    answers = [{ status: 401, body: { error: 'expired' } }];
    create(workbench, 'Explain the key');
    await workbench.quickInput.expectTitle(/rejected the API key/);
    await workbench.quickInput.cancel();
    await tree.expectRow(/Explain the key.*key rejected/, JOB_LIMIT);
    const before = posts().length;
    create(workbench, 'Explain the other one');
    await workbench.quickInput.expectTitle(/rejected the API key/);
    await tree.expectRow(/Explain the other one.*key rejected/, JOB_LIMIT);
    strictEqual(posts().length, before, 'nothing is sent with a key that was rejected');
    await workbench.screenshot('waiting 3 key');
    await workbench.quickInput.cancel();
    answers = [active('job3'), active('job4')];
    over.set('job3', { status: 'completed' }).set('job4', { status: 'completed' });
    await tree.contextMenu('Explain the other one', 'Set API Key…');
    await workbench.quickInput.answer('another-key-of-this-test');
    await tree.expectRow(/Explain the key, finished/, JOB_LIMIT);
    await tree.expectRow(/Explain the other one, finished/, JOB_LIMIT);
    deepStrictEqual(posts().slice(before).toSorted(), ['Explain the key', 'Explain the other one']);
  });

  it('become the job whose ID is entered, where no answer came', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    answers = [{ fault: 'reset' }];
    create(workbench, 'Explain the reset');
    await tree.expectRow(/Explain the reset.*may have been created/, JOB_LIMIT);
    over.set('job5', ready);
    await tree.contextMenu('Explain the reset', 'Enter Job ID…');
    await workbench.quickInput.expectTitle(/The job that came of/);
    await workbench.screenshot('waiting 4 job id');
    await workbench.quickInput.answer('job5');
    await tree.expectRow(/Explain the reset.*pull request ready/, JOB_LIMIT);
  });

  it('are sent a second time only after a question, changed or not', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    answers = [{ fault: 'reset' }];
    create(workbench, 'Explain the doubt');
    await tree.expectRow(/Explain the doubt.*may have been created/, JOB_LIMIT);
    const before = posts().length;
    await tree.contextMenu('Explain the doubt', 'Change and Send…');
    await workbench.dialog('may make a second one', 'Cancel');
    strictEqual(posts().length, before, 'nothing is sent without a yes');
    answers = [active('job7')];
    over.set('job7', ready);
    await tree.contextMenu('Explain the doubt', 'Change and Send…');
    await workbench.dialog('may make a second one', 'Send again');
    await workbench.quickInput.answer('Explain the certainty');
    await tree.expectRow(/Explain the certainty.*pull request ready/, JOB_LIMIT);
    deepStrictEqual(posts().slice(before), ['Explain the certainty']);
  });

  it('and their jobs are in every window within a second or so, each end told by one', async () => {
    const { workbench } = window();
    const other = await window().openAnother();
    await other.activityBar('Docs Agent');
    await other.tree('Jobs').expectRow(/Explain the outage/, JOB_LIMIT);
    answers = [active('job6')];
    create(workbench, 'Explain both windows');
    await workbench.tree('Jobs').expectRow(/Explain both windows, in progress/, JOB_LIMIT);
    const shown = Date.now();
    await other.tree('Jobs').expectRow(/Explain both windows, in progress/, JOB_LIMIT);
    const late = Date.now() - shown;
    over.set('job6', ready);
    const told = /ready.*Explain both windows/;
    await Promise.any([workbench, other].map((each) => each.toast(told).expect(JOB_LIMIT)));
    await other.tree('Jobs').expectRow(/Explain both windows, pull request ready/, JOB_LIMIT);
    await workbench.tree('Jobs').expectRow(/Explain both windows, pull request ready/, JOB_LIMIT);
    await workbench.page.waitForTimeout(5000);
    const toasts = await Promise.all([workbench, other].map((each) => each.toastCount(told)));
    strictEqual((toasts[0] ?? 0) + (toasts[1] ?? 0), 1, `toasts: ${toasts.join(' and ')}`);
    await other.screenshot('waiting 6 second window');
    const jobs = await Promise.all([workbench, other].map(exportedJobs));
    deepStrictEqual(jobs[0]?.map(({ key }) => key).toSorted(), jobs[1]?.map(({ key }) => key).toSorted());
    report({ promise: 'L7', what: 'a job made in one real window', figure: `in the other one ${late} ms later` });
  });
});
