import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { Outbox } from '../../jobs/outbox';
import type { Send, TrackedJob } from '../../jobs/trackedJob';
import type { PromptBox } from '../prompt/promptBox';
import type { Sender } from '../sender';
import { toLabel } from '../text';
import { jobTitle } from '../views/jobWords';
import { readSend } from './arguments';

const { t } = vscode.l10n;

export interface UnsentPromptOptions {
  store: JobStore;
  outbox: Outbox;
  sender: Sender;
  prompts: PromptBox;
}

/** Sends a prompt that was not accepted once more, as it is. */
export async function sendAgain(options: UnsentPromptOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const found = find(options.store, argument);
  if (found === undefined || (found.send.state === 'unconfirmed' && !(await wantsSecond(found.send)))) {
    return undefined;
  }
  return (await options.sender.again(found.job, found.send)).finished;
}

/** What may have had its effect can have it twice: asked in the foreground, of the user who has just asked for it. */
async function wantsSecond({ kind }: Send): Promise<boolean> {
  const text = kind === 'create' ? t('Send this prompt once more?') : t('Send this follow-up once more?');
  const detail =
    kind === 'create'
      ? t('No answer came, so the job may exist already. Sending the prompt again may make a second one.')
      : t('No answer came, so the agent may have it already, and would get it twice.');
  const again = t('Send again');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, again)) === again;
}

/** Opens the prompt for a change and sends that. */
export async function editAndSend(options: UnsentPromptOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const found = find(options.store, argument);
  if (found === undefined) {
    return undefined;
  }
  const { job, send } = found;
  if (send.state === 'unconfirmed' && !(await wantsSecond(send))) {
    return undefined;
  }
  const box = {
    title: t('Change and send “{0}”', toLabel(jobTitle(job), 50)),
    placeholder: t('What should the agent do?'),
    value: send.prompt,
    home: job.home,
    draft: `edit ${send.id}`,
  };
  return options.prompts.ask(box, (prompt) => options.sender.again(job, send, prompt));
}

/** Gives up a prompt that was not accepted; its text stays in reach for as long as the notice is shown. */
export async function discardPrompt(options: UnsentPromptOptions, argument: unknown): Promise<void> {
  const found = find(options.store, argument);
  if (found === undefined) {
    return;
  }
  if (!(await options.outbox.discard(found.job, found.send))) {
    void vscode.window.showInformationMessage(
      t('The prompt is on its way and can’t be stopped any more. Wait for the answer, then send a follow-up.'),
    );
    return;
  }
  const copy = t('Copy prompt');
  if ((await vscode.window.showInformationMessage(t('The prompt was discarded.'), copy)) === copy) {
    await vscode.env.clipboard.writeText(found.send.prompt);
  }
}

function find(store: JobStore, argument: unknown): { job: TrackedJob; send: Send } | undefined {
  const named = readSend(argument);
  const job = named === undefined ? undefined : store.get(named.jobKey);
  const send = job?.sends.find((each) => each.id === named?.sendId);
  const open = send !== undefined && send.state !== 'created' && send.state !== 'discarded' && send.state !== 'sending';
  if (job === undefined || !open) {
    void vscode.window.showInformationMessage(t('Choose a prompt that was not accepted, in the list of jobs.'));
    return undefined;
  }
  return { job, send };
}
