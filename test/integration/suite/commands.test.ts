import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { commands, env, type InputBox, Selection, Uri, window, workspace } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { activatedApi, extensionVscode, isOver, untilJob } from './support';

const run = <T>(name: string, argument?: unknown): Thenable<T> =>
  commands.executeCommand<T>(`docsAgent.${name}`, argument);

/** The message of the last commit on a job's branch, which contains the prompt as the service received it. */
function commitMessage(id: string): string {
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  return execFileSync('git', ['log', '-1', '--format=%B', `--branches=docs-agent/*-${id.slice(0, 4)}`], {
    cwd,
    encoding: 'utf8',
  });
}

describe('the commands, called with arguments and without dialogs', () => {
  let api: DocsAgentApi;
  let first: Job;
  let dispatcherBefore: unknown;

  before(async () => {
    api = await activatedApi();
    dispatcherBefore = processWideDispatcher();
    first = await run<Job>('createJob', { prompt: 'Document the commands' });
    first = await untilJob(api, first.key, isOver);
    strictEqual(first.status, 'completed');
  });
  after(() => run('stopLocalService'));

  it('refuse an empty prompt and send nothing', async () => {
    const before = api.jobs.length;
    strictEqual(await run('createJob', { prompt: ' \n ' }), undefined);
    strictEqual(api.jobs.length, before);
  });

  it('do not change the process-wide dispatcher', () => {
    strictEqual(processWideDispatcher(), dispatcherBefore);
  });

  for (const [name, argument] of [
    ['our key', (job: Job) => job.key],
    ['the service’s id', (job: Job) => job.id],
    ['an object with it', (job: Job) => ({ jobId: job.id })],
    ['a row of the tree', (job: Job) => ({ kind: 'job', jobKey: job.key })],
  ] as const) {
    it(`accept ${name} for a job`, async () => {
      await env.clipboard.writeText('');
      await run('copyJobId', argument(first));
      strictEqual(await env.clipboard.readText(), first.id);
    });
  }

  it('copy the link to the pull request', async () => {
    await run('copyPullRequestLink', first.key);
    strictEqual(await env.clipboard.readText(), first.prLink);
  });

  it('copy a job in the format that the argument names', async () => {
    const copied = async (as: string): Promise<string> => {
      await run('copyAs', { jobId: first.key, as });
      return env.clipboard.readText();
    };
    match(await copied('jobLink'), new RegExp(`^[\\w-]+://docs-agent\\.docs-agent-jobs/.*${first.id ?? ''}`));
    strictEqual(await copied('markdown'), `[Document the commands](${first.prLink ?? ''})`);
    strictEqual(await copied('jobId'), first.id);
  });

  it('send the selections of all cursors as fenced context of an instruction', async () => {
    const content = 'first `one`\n```js\nsecond\n```\nthird\n';
    const document = await workspace.openTextDocument({ language: 'markdown', content });
    const editor = await window.showTextDocument(document);
    editor.selections = [new Selection(4, 0, 4, 5), new Selection(0, 0, 3, 3)];
    const job = await run<Job>('createJobFromSelection', { instruction: 'Explain these' });
    const { id } = await untilJob(api, job.key, isOver);
    const message = commitMessage(id ?? '');
    match(message, /Explain these/);
    match(message, /lines 1-4:\n\n- Unsaved: .*\n\n````markdown\nfirst `one`\n```js\nsecond\n```\n````/);
    ok(message.indexOf('lines 1-4') < message.indexOf('line 5:'), 'in the order of the document');
  });

  it('send the selection with its location when the instruction is empty', async () => {
    const document = await workspace.openTextDocument({ content: 'Document the plain selection' });
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(0, 0, 0, 50);
    const job = await run<Job>('createJobFromSelection', { instruction: '' });
    match(job.title, /^Work on `Untitled-\d+`, line 1$/);
    const { id } = await untilJob(api, job.key, isOver);
    match(
      commitMessage(id ?? ''),
      /From `Untitled-\d+`, line 1:\n\n(- .*\n\n)?```plaintext\nDocument the plain selection\n```/,
    );
  });

  it('ask before sending a long selection and point out that its file is not in git', async () => {
    const uri = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'long.md');
    await workspace.fs.writeFile(uri, new TextEncoder().encode('x'.repeat(20_001)));
    const editor = await window.showTextDocument(uri);
    editor.selection = new Selection(0, 0, 0, 20_001);
    const { window: theirs, EventEmitter } = await extensionVscode();
    const { createInputBox, showWarningMessage } = theirs;
    const accepted = new EventEmitter<void>();
    const hidden = new EventEmitter<void>();
    const opened: InputBox[] = [];
    const asked: string[] = [];
    Object.assign(theirs, {
      createInputBox: () => {
        const box = createInputBox.call(theirs);
        opened.push(box);
        return Object.assign(box, { onDidAccept: accepted.event, onDidHide: hidden.event });
      },
      showWarningMessage: (text: string) => Promise.resolve(void asked.push(text)),
    });
    try {
      const before = api.jobs.length;
      const job = run('createJobFromSelection');
      const until = async (fits: () => boolean): Promise<void> => {
        for (let tries = 0; tries < 400 && !fits(); tries++) {
          await delay(25);
        }
        ok(fits(), opened[0]?.prompt);
      };
      await until(() => opened[0]?.prompt?.includes('the agent sees only the selected text') === true);
      match(opened[0]?.prompt ?? '', /20,001 characters/);
      accepted.fire();
      await until(() => asked.length > 0 && opened[0]?.busy === false);
      deepStrictEqual(asked, ['Send this long selection?']);
      hidden.fire();
      strictEqual(await job, undefined);
      strictEqual(api.jobs.length, before);
    } finally {
      Object.assign(theirs, { createInputBox, showWarningMessage });
      await workspace.fs.delete(uri);
    }
  });

  it('send nothing without a selection', async () => {
    await window.showTextDocument(await workspace.openTextDocument({ content: 'nothing is selected' }));
    strictEqual(await run('createJobFromSelection', { instruction: 'Explain' }), undefined);
    // What a menu passes matches none of the accepted shapes and counts as no argument.
    strictEqual(await run('createJobFromSelection', Uri.file('x')), undefined);
  });

  it('send a follow-up to the same pull request', async () => {
    const followed = await run<Job>('sendFollowUp', { jobId: first.id, prompt: 'Add an example of the commands' });
    strictEqual(followed.key, first.key);
    const ended = await untilJob(api, first.key, (job) => isOver(job) && job.followUps === 1);
    strictEqual(ended.prLink, first.prLink);
    match(commitMessage(first.id ?? ''), /Add an example/);
  });

  it('send a follow-up from a selection', async () => {
    const document = await workspace.openTextDocument({ content: 'Say more about the selection' });
    (await window.showTextDocument(document)).selection = new Selection(0, 0, 0, 50);
    await run('sendFollowUpFromSelection', { jobId: first.key, instruction: '' });
    await untilJob(api, first.key, (job) => isOver(job) && job.followUps === 2);
    match(commitMessage(first.id ?? ''), /Say more about the selection/);
  });

  it('remove a job from the list and track it again by its ID', async () => {
    void run('untrackJob', first.key);
    await untilGone(api, first.key);
    const tracked = await run<Job>('trackJob', { jobId: first.id });
    strictEqual(tracked.key, first.key);
    deepStrictEqual(
      api.jobs.filter((job) => job.id === first.id).map((job) => job.key),
      [first.key],
    );
  });

  it('check the connection without creating a job', async () => {
    const before = api.jobs.length;
    deepStrictEqual(await run('checkConnection'), { ok: true, reason: 'read' });
    strictEqual(api.jobs.length, before);
  });

  it('start the local service again after it was stopped', async () => {
    await run('stopLocalService');
    const baseUrl = await run<string>('startLocalService');
    match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    strictEqual(await run('startLocalService'), baseUrl);
  });

  it('distinguish a job that finished without changes from one that failed', async () => {
    const nothing = await run<Job>('createJob', { prompt: 'Document nothing [scripted: change nothing]' });
    const failing = await run<Job>('createJob', { prompt: 'Document failure [scripted: fail]' });
    const done = await untilJob(api, nothing.key, isOver);
    deepStrictEqual([done.status, done.prLink], ['completed', null]);
    strictEqual((await untilJob(api, failing.key, isOver)).status, 'failed');
  });
});

/** The dispatcher that Node's own `fetch`, and thus every other extension, uses. */
function processWideDispatcher(): unknown {
  Reflect.get(globalThis, 'Response');
  return Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
}

async function untilGone(api: DocsAgentApi, key: string): Promise<void> {
  while (api.jobs.some((job) => job.key === key)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
