import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workbench } from '../../support/vscode/workbench';
import { untilStatus } from '../exportedJobs';
import { useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

describe('follow-ups to a running job', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'workbench.colorTheme': 'Default Light Modern' } });
  /** What the service says of each job. */
  let status = 'active';
  /** No answer comes to a follow-up. */
  let isBroken = false;

  before(() => {
    let made = 0;
    server().choose = ({ method, path }) => {
      if (method === 'GET') {
        return { body: { id: /job\d+/.exec(path)?.[0], status } };
      }
      if (isBroken) {
        return { fault: 'reset' };
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
    strictEqual(await workbench.quickInput.value(), 'Then translate it', 'the text stays');
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

  it('offer both ways above a prompt in the editor, and ask about neither', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await untilStatus(workbench, 'active', JOB_LIMIT);
    void workbench.host.command('docsAgent.composePrompt', { jobId: 'job1', text: 'Then add pictures' });
    const later = workbench.page.locator('.codelens-decoration a', { hasText: 'Send when this run ends' });
    await later.waitFor();
    await workbench.page.locator('.codelens-decoration a', { hasText: /Interrupt .* and send/ }).waitFor();
    await workbench.screenshot('follow-ups 6 composer');
    await later.click();
    await tree.expectRow(/Then add pictures, waits for the end of this run/, JOB_LIMIT);
    await tree.inlineAction('Then add pictures', 'Discard Prompt');
    await tree.expectNoRow('Then add pictures');
  });

  it('are not asked about where a program sends them', async () => {
    const { workbench } = window();
    void workbench.host.command('docsAgent.sendFollowUp', { jobId: 'job1', prompt: 'By a program', when: 'ended' });
    await workbench.tree('Jobs').expectRow(/By a program, waits for the end of this run/, JOB_LIMIT);
    const before = prompts().length;
    await workbench.host.command('docsAgent.sendFollowUp', { jobId: 'job1', prompt: 'At once' });
    deepStrictEqual(prompts().slice(before), ['At once']);
    await workbench.tree('Jobs').contextMenu('By a program', 'Discard Prompt');
    await workbench.tree('Jobs').expectNoRow('By a program');
  });

  it('wait where a person wants that who goes on with what a program could not keep', async () => {
    const { workbench, server: editor } = window();
    const { quickInput } = workbench;
    const before = prompts().length;
    const jobs = join(editor.globalStorage('docs-agent.docs-agent-jobs'), 'jobs');
    await rename(jobs, `${jobs}.away`);
    await writeFile(jobs, 'no folder');
    try {
      await workbench.host.command('docsAgent.sendFollowUp', { jobId: 'job1', prompt: 'Not kept' });
      await workbench.toast(/The prompt could not be saved: /).click('Open prompt');
      await quickInput.expectTitle(/^Follow-up to/);
    } finally {
      await rm(jobs);
      await rename(`${jobs}.away`, jobs);
    }
    await quickInput.accept();
    await quickInput.expectBusy();
    await workbench.dialog('Interrupt the present work', 'Cancel');
    await quickInput.expectIdle();
    await quickInput.press('Send when this run ends');
    await workbench.tree('Jobs').expectRow(/Not kept, waits for the end of this run/, JOB_LIMIT);
    strictEqual(prompts().length, before);
    await workbench.tree('Jobs').inlineAction('Not kept', 'Discard Prompt');
    await workbench.tree('Jobs').expectNoRow('Not kept');
  });

  it('are asked about while an earlier one may be at work', async () => {
    const { workbench } = window();
    const { quickInput } = workbench;
    const tree = workbench.tree('Jobs');
    isBroken = true;
    void workbench.host.command('docsAgent.sendFollowUp', { jobId: 'job1', prompt: 'Without an answer' });
    await tree.expectRow(/Without an answer, may have been received/, JOB_LIMIT);
    isBroken = false;
    await end(workbench, 'completed');
    await tree.expectRow(/Explain the queue.*finished/, JOB_LIMIT);
    void workbench.host.command('docsAgent.sendFollowUp', 'job1');
    await quickInput.expectMessage('The agent may have received an earlier follow-up');
    await quickInput.answer('A further one');
    await workbench.screenshot('follow-ups 8 unsure');
    await workbench.dialog('Send while an earlier follow-up may be at work?', 'Send now');
    await untilStatus(workbench, 'active', JOB_LIMIT);
    strictEqual(prompts().at(-1), 'A further one');
    await tree.contextMenu('Without an answer', 'Discard Prompt');
    await tree.expectNoRow('Without an answer');
  });

  it('and what ended while nobody looked are told as one when the person comes back', async () => {
    const { workbench } = window();
    const { page } = workbench;
    void workbench.host.command('docsAgent.createJob', { prompt: 'Explain the return' });
    await workbench.tree('Jobs').expectRow(/Explain the return, in progress/, JOB_LIMIT);
    await page.evaluate('document.hasFocus = () => false; document.dispatchEvent(new Event("visibilitychange"))');
    await workbench.host.run(async (vscode) => {
      while (vscode.window.state.focused) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    await end(workbench, 'completed');
    await workbench.tree('Jobs').expectRow(/Explain the return, finished/, JOB_LIMIT);
    strictEqual(await workbench.toastCount(/finished without a pull request/), 0);
    await page.evaluate('delete document.hasFocus; document.dispatchEvent(new Event("visibilitychange"))');
    const digest = workbench.toast('2 jobs finished without a pull request.');
    await digest.expect(JOB_LIMIT);
    await workbench.screenshot('follow-ups 7 digest');
    deepStrictEqual(await digest.buttons(), ['Show jobs']);
  });
});
