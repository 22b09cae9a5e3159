import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import type { ToolName } from '../../../src/extension/ids';
import type { Workbench } from '../../support/vscode/workbench';
import { exportedJobs } from '../windowState';
import { enterKey, useHostedWindow } from '../hostedWindow';

const QUESTION = 'Track this job?';
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

interface Answer {
  text?: string;
  error?: string;
}

/** Calls a tool as an extension without chat does; the editor itself asks the user for confirmation. */
async function invoke(workbench: Workbench, name: ToolName, input: object): Promise<Answer> {
  return workbench.host.run(
    async (vscode, call): Promise<Answer> => {
      try {
        const options = { input: call.input, toolInvocationToken: undefined };
        const { content } = await vscode.lm.invokeTool(call.name, options);
        const texts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '?'));
        return { text: texts.join('\n') };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    },
    { name, input },
  );
}

describe('the language model tools', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'chat.disableAIFeatures': false } }, 'active');
  const question = (text: string): ReturnType<Workbench['page']['locator']> =>
    window().workbench.page.locator('.monaco-dialog-box', { hasText: text });

  /** Accepts the editor's confirmation, whose buttons work only once it is fully shown. */
  const allow = async (text: string): Promise<void> => {
    const dialog = question(text);
    await dialog.locator('.monaco-button').filter({ hasNotText: 'Cancel' }).first().click();
    await dialog.waitFor({ state: 'hidden' });
  };

  before(async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await enterKey(workbench);
  });

  it('are registered with the editor', async () => {
    const names = await window().workbench.host.run((vscode) => vscode.lm.tools.map(({ name }) => name));
    deepStrictEqual(names.filter((name) => name.startsWith('docsAgent_')).toSorted(), [
      'docsAgent_checkDocs',
      'docsAgent_createJob',
      'docsAgent_getJob',
      'docsAgent_listJobs',
      'docsAgent_sendFollowUp',
    ]);
  });

  it('send nothing when the user declines a confirmation that shows project, length, both ends and secrets', async () => {
    const { workbench } = window();
    const prompt = `Explain **retries** [here](command:quit)\n\n${'Say more. '.repeat(600)}\nUse ${SECRET}\nOpen the doors`;
    const answer = invoke(workbench, 'docsAgent_createJob', { prompt });
    const dialog = question('Send a documentation job to docs-project');
    await dialog.waitFor();
    await workbench.screenshot('tool 1 create');
    const text = await dialog.innerText();
    match(text, /6,1\d\d characters/);
    match(text, /1,6\d\d characters in the middle aren’t shown/);
    match(text, /seems to contain a secret, which is sent unchanged: GitHub token \(line 4\)/);
    match(text, /Open the doors/);
    match(text, /Explain \*\*retries\*\* \[here\]\(command:quit\)/);
    await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
    ok((await answer).error !== undefined);
    deepStrictEqual(prompts(), []);
    deepStrictEqual(await exportedJobs(workbench), []);
  });

  it('send the prompt unchanged when the user accepts, and return the result', async () => {
    const { workbench } = window();
    const answer = invoke(workbench, 'docsAgent_createJob', { prompt: 'Explain the retries' });
    await allow('Send a documentation job');
    const { text = '', error } = await answer;
    strictEqual(error, undefined);
    match(text, /^The job was accepted/);
    const [job] = await exportedJobs(workbench);
    const facts = JSON.parse(text.split('\n').at(-1) ?? '') as Record<string, unknown>;
    deepStrictEqual([facts['key'], facts['id'], facts['status']], [job?.key, 'job1', 'active']);
    deepStrictEqual(prompts(), ['Explain the retries']);
  });

  describe('and a link to a job, which', () => {
    /** The job that the tests above created is still being polled. */
    const isOfLink = ({ path }: { path: string }): boolean => !path.endsWith('/job1');
    const asked = (): number => server().requests.filter(isOfLink).length;

    before(() => {
      server().choose = ({ path }) => ({ body: { id: path.split('/').at(-1), status: 'active' } });
    });
    const linkTo = (id: string): string =>
      `vscode://docs-agent.docs-agent-jobs/job?service=${server().url}&project=docs-project&id=${id}`;

    /** Opens a link as the operating system does. The editor first asks whether the extension may handle it. */
    async function open(workbench: Workbench, link: string): Promise<void> {
      await workbench.palette('Developer: Open URL');
      await workbench.quickInput.answer(link);
      await workbench.dialog(/Allow '?Docs Agent Jobs'? extension to open this URI/, 'Open');
    }

    it('shows project, service and job before it sends any request, and adds the job once the user accepts', async () => {
      const { workbench } = window();
      const before = asked();
      await open(workbench, linkTo('job-of-a-colleague'));
      const dialog = workbench.page.locator('.monaco-dialog-box', { hasText: QUESTION });
      await dialog.waitFor();
      const text = await dialog.innerText();
      match(text, /Project: docs-project/);
      match(text, /Service: 127\.0\.0\.1:\d+/);
      match(text, /Job: job-of-a-colleague/);
      await workbench.screenshot('link 1 question');
      strictEqual(asked(), before);
      await workbench.dialog(QUESTION, 'Cancel');
      await dialog.waitFor({ state: 'hidden' });
      strictEqual((await exportedJobs(workbench)).length, 1);
      strictEqual(asked(), before, 'no was taken for an answer');
      await open(workbench, linkTo('job-of-a-colleague'));
      await workbench.dialog(QUESTION, 'Track Job');
      await workbench.tree('Jobs').expectRow(/job-of-a-colleague/);
      const requests = server().requests.filter(isOfLink).slice(before);
      deepStrictEqual(
        [...new Set(requests.map(({ method, path }) => `${method} ${path}`))],
        ['GET /v2/agent/docs-project/job/job-of-a-colleague'],
      );
    });
  });
});
