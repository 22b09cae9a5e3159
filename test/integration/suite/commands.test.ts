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

  before(async () => {
    api = await activatedApi();
    first = await run<Job>('createJob', { prompt: 'Document the commands' });
    first = await untilJob(api, first.key, isOver);
    strictEqual(first.status, 'completed');
  });
  after(() => run('stopLocalService'));

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

  it('send the selections of all cursors as fenced context of an instruction', async () => {
    const content = 'first `one`\n```js\nsecond\n```\nthird\n';
    const document = await workspace.openTextDocument({ language: 'markdown', content });
    const editor = await window.showTextDocument(document);
    editor.selections = [new Selection(4, 0, 4, 5), new Selection(0, 0, 3, 3)];
    const job = await run<Job>('createJobFromSelection', { instruction: 'Explain these' });
    const { id } = await untilJob(api, job.key, isOver);
    const message = commitMessage(id ?? '');
    match(message, /Explain these/);
    match(message, /lines 1-4:\n\n````markdown\nfirst `one`\n```js\nsecond\n```\n````/);
    ok(message.indexOf('lines 1-4') < message.indexOf('line 5:'), 'in the order of the document');
  });

  it('ask before sending a long selection', async () => {
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
      await until(() => opened[0]?.prompt?.includes('20,001 characters') === true);
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

  it('send a follow-up to the same pull request', async () => {
    const followed = await run<Job>('sendFollowUp', { jobId: first.id, prompt: 'Add an example of the commands' });
    strictEqual(followed.key, first.key);
    const ended = await untilJob(api, first.key, (job) => isOver(job) && job.followUps === 1);
    strictEqual(ended.prLink, first.prLink);
    match(commitMessage(first.id ?? ''), /Add an example/);
  });
});
