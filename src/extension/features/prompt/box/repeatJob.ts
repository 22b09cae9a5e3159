import * as vscode from 'vscode';
import { promptToRetry } from '../../../../jobs/jobStatus';
import { firstSend, type TrackedJob } from '../../../../jobs/trackedJob';
import { readJobName } from '../../../platform/commandArguments';
import { jobFolder } from '../../../sending/drafts';
import { saveFollowUp } from '../../../sending/followUps';
import { newJobTitle, type SendFollowUpOptions } from './promptCommands';

/** Sends the last prompt of a failed or stopped job again, as a follow-up, like every prompt that a person sends. */
export async function retryJob(options: SendFollowUpOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts, composer } = options;
  const job = await picker.choose(readJobName(argument), 'retryJob');
  const send = job && promptToRetry(job);
  if (job === undefined || send === undefined || retried.has(job.key)) {
    return undefined;
  }
  const target = {
    home: job.home,
    compose: (text: string) => composer.openForJob(job, text),
  };
  // Until the prompt is recorded, another click would send it again.
  retried.add(job.key);
  try {
    return await prompts.resend(send.prompt, target, (prompt) =>
      saveFollowUp(options, job, prompt).finally(() => retried.delete(job.key)),
    );
  } finally {
    retried.delete(job.key);
  }
}

/** The jobs that are about to be tried again. */
const retried = new Set<string>();

/** Opens the box for a new job in the same project, with the job's first prompt. */
export async function duplicateJob(options: SendFollowUpOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts, sender, composer } = options;
  const job = await picker.choose(readJobName(argument), 'duplicateJob');
  const send = job && firstSend(job);
  if (job === undefined || send === undefined) {
    return undefined;
  }
  const { home } = job;
  const box = {
    title: newJobTitle(home),
    placeholder: vscode.l10n.t('What should the agent do?'),
    value: send.prompt,
    draft: `${jobFolder(job.key)}/duplicate`,
    home,
    compose: (text: string) => composer.openForHome(home, text),
  };
  return prompts.ask(box, (prompt) => sender.create(home, prompt));
}
