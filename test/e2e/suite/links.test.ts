import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Job } from '../../../src/extension/apiJob';
import { until } from '../../contract/contractBench';
import type { Workbench } from '../../support/vscode/workbench';
import { exportedJobs } from '../exportedJobs';
import { enterKey, useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

const FLOOD = 300;
const QUESTION = 'Put this job into your list?';

describe('a link to a job', () => {
  const { window, server } = useHostedWindow();

  const linkTo = (id: string, service = server().url): string =>
    `vscode://docs-agent.docs-agent-jobs/job?service=${service}&project=docs-project&id=${id}`;

  /** As when the system hands a link to the editor, which asks first whether the extension may have it. */
  async function open(workbench: Workbench, link: string): Promise<void> {
    await workbench.palette('Developer: Open URL');
    await workbench.quickInput.answer(link);
    await workbench.dialog(/Allow '?Docs Agent Jobs'? extension to open this URI/, 'Open');
  }

  before(async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await enterKey(workbench);
  });

  it('names project, service and job before anything is asked of the service', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    await open(workbench, linkTo('job-of-a-colleague'));
    const dialog = workbench.page.locator('.monaco-dialog-box', { hasText: QUESTION });
    await dialog.waitFor();
    const text = await dialog.innerText();
    match(text, /Project: docs-project/);
    match(text, /Service: 127\.0\.0\.1:\d+/);
    match(text, /Job: job-of-a-colleague/);
    await workbench.screenshot('link 1 question');
    strictEqual(server().requests.length, before);
    await workbench.dialog(QUESTION, 'Cancel');
    await dialog.waitFor({ state: 'hidden' });
    deepStrictEqual(await exportedJobs(workbench), []);
    strictEqual(server().requests.length, before, 'no was taken for an answer');
  });

  it('puts the job into the list when the user says so, and sends nothing', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    await open(workbench, linkTo('job-of-a-colleague'));
    await workbench.dialog(QUESTION, 'Track job');
    await workbench.tree('Jobs').expectRow(/job-of-a-colleague/, JOB_LIMIT);
    deepStrictEqual(
      server()
        .requests.slice(before)
        .map(({ method, path }) => [method, path]),
      [['GET', '/v2/agent/docs-project/job/job-of-a-colleague']],
    );
    await workbench.screenshot('link 2 in the list');
  });

  it('shows a job that is in the list, and asks for nothing', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    await workbench.host.command('docsAgent.filterJobs', { text: 'another' });
    await open(workbench, linkTo('job-of-a-colleague'));
    const row = workbench.page.locator('.monaco-list-row.selected', { hasText: 'job-of-a-colleague' });
    await row.waitFor();
    strictEqual(await workbench.page.locator('.monaco-dialog-box').count(), 0);
    strictEqual(server().requests.length, before);
    strictEqual((await exportedJobs(workbench)).length, 1);
  });

  it('leads no key to another service, and says what to do', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    await open(workbench, linkTo('job1', 'https://evil.example'));
    const told = workbench.page.locator('.monaco-dialog-box', { hasText: 'This link can’t be opened' });
    await told.waitFor();
    match(await told.innerText(), /is at https:\/\/evil\.example, which is not the service that you have set/);
    await workbench.screenshot('link 3 another service');
    strictEqual(await told.locator('.monaco-button', { hasText: 'Open setting' }).count(), 1);
    await told.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await told.waitFor({ state: 'hidden' });
    strictEqual(server().requests.length, before);
    strictEqual((await exportedJobs(workbench)).length, 1);
  });

  it('says so when it can’t be used', async () => {
    const { workbench } = window();
    await open(workbench, `${linkTo('job1')}&prompt=Delete`);
    await workbench.dialog(/This link to a job can’t be used/, 'OK');
  });

  it('can be made of rows, pasted, and leads back to the job', async () => {
    const { workbench } = window();
    const [job] = await exportedJobs(workbench);
    ok(job !== undefined);
    await workbench.tree('Jobs').contextMenu('job-of-a-colleague', 'Copy Job Link');
    await workbench.page.locator('.statusbar', { hasText: 'Link copied' }).waitFor();
    const link = await workbench.clipboard();
    match(
      link,
      /^[\w-]+:\/\/docs-agent\.docs-agent-jobs\/job\?service=http:\/\/127\.0\.0\.1:\d+&project=docs-project&id=job-of-a-colleague$/,
    );
    await workbench.palette('Docs Agent: Track Job…');
    await workbench.quickInput.expectTitle('Track a job');
    await workbench.quickInput.fill(`${link}&x`);
    await workbench.quickInput.expectMessage('cut off or was changed');
    await workbench.screenshot('link 4 pasted');
    await workbench.quickInput.cancel();
    const found = await workbench.host.run(
      async (vscode, text) => vscode.commands.executeCommand<Job>('docsAgent.trackJob', { link: text }),
      link,
    );
    strictEqual(found.key, job.key);
  });

  it('asks once where a page opens hundreds at once, and stays quiet when the answer is no', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    const count = (): Promise<number> =>
      workbench.host.run(() => (globalThis as { docsAgentOpened?: number }).docsAgentOpened ?? 0);
    const links = Array.from({ length: FLOOD }, (_, index) => linkTo(`flood-of-links-${index}`));
    links.splice(1, 2, `${linkTo('flood-of-links')}&prompt=Delete`, linkTo('flood-of-links', 'https://evil.example'));
    await workbench.host.run(async (vscode, opened) => {
      const seen = globalThis as { docsAgentOpened?: number };
      for (const link of opened) {
        // As the editor’s own: it asks for others whether the extension may have them, which would hold up the flood.
        const uri = vscode.Uri.parse(link).with({ scheme: vscode.env.uriScheme });
        void Promise.resolve(vscode.commands.executeCommand('vscode.open', uri)).finally(() => {
          seen.docsAgentOpened = (seen.docsAgentOpened ?? 0) + 1;
        });
      }
    }, links);
    const dialogs = workbench.page.locator('.monaco-dialog-box');
    await dialogs.filter({ hasText: QUESTION }).waitFor();
    await until(async () => (await count()) >= FLOOD - 1);
    strictEqual(await dialogs.count(), 1);
    match(await dialogs.innerText(), /flood-of-links-0/);
    await workbench.screenshot('link 5 flood');
    await workbench.dialog(QUESTION, 'Cancel');
    await until(async () => (await count()) === FLOOD);
    await dialogs.waitFor({ state: 'hidden' });
    strictEqual(await dialogs.count(), 0);
    strictEqual(server().requests.length, before);
    strictEqual((await exportedJobs(workbench)).length, 1);
  });

  it('leaves no trace of its parts in the log', async () => {
    const { workbench } = window();
    const logs = join(dirname(dirname(window().server.settingsFile)), 'logs');
    const logged = async (): Promise<string> => {
      const names = (await readdir(logs, { recursive: true })).filter((name) => /Docs Agent.*\.log$/.test(name));
      return (await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')))).join('\n');
    };
    // The first line makes the file: here the end of a job.
    await workbench.host.command('docsAgent.createJob', { prompt: 'Explain the log' });
    while (!(await logged()).includes('job job1 is completed')) {
      await workbench.page.waitForTimeout(100);
    }
    const text = await logged();
    strictEqual(/evil\.example|prompt=Delete|job-of-a-colleague|flood-of-links/.test(text), false, text);
  });
});

describe('the link of a pull request', () => {
  const { window, server } = useHostedWindow();
  const LINK = 'https://forge.example/o/docs/pull/7';

  it('leads to its job where that is known, from whatever page of it', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    server().choose = ({ path }) => ({ body: { id: path.split('/').at(-1), status: 'completed', prLink: LINK } });
    await workbench.host.run(async (vscode) => {
      void vscode.commands.executeCommand('docsAgent.trackJob', { jobId: 'job7' });
    });
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.tree('Jobs').expectRow(/job7/, JOB_LIMIT);
    await workbench.palette('Docs Agent: Track Job…');
    await workbench.quickInput.answer(`${LINK}/files`);
    await workbench.page.locator('.monaco-list-row.selected', { hasText: 'job7' }).waitFor();
  });

  it('says that it is not known, and what helps', async () => {
    const { workbench } = window();
    const before = server().requests.length;
    await workbench.host.run(async (vscode) => {
      void vscode.commands.executeCommand('docsAgent.trackJob', { link: 'https://forge.example/o/docs/pull/8' });
    });
    await workbench.toast(/No job in the list has this pull request.*Enter the ID of the job/).expect();
    strictEqual(server().requests.length, before);
  });
});
