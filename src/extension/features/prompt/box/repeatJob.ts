import * as vscode from 'vscode';
import { promptToRetry } from '../../../../jobs/jobStatus';
import { firstPrompt, type TrackedJob } from '../../../../jobs/trackedJob';
import { readJobName } from '../../../platform/commandArguments';
import { jobFolder } from '../../../sending/drafts';
import type { Sending } from '../../../sending/sender';
import type { PromptApp } from '../register';
import { followUpTarget, newJobTitle } from './promptCommands';

/** Sends the last prompt of a failed or stopped job again, as a follow-up, like every prompt that a person sends. */
export async function retryJob(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts } = options;
  const job = await picker.choose(readJobName(argument), 'retryJob');
  const last = job && promptToRetry(job);
  if (job === undefined || last === undefined || retried.has(job.key)) {
    return undefined;
  }
  const target = followUpTarget(options, job);
  const save = (prompt: string): Promise<Sending | undefined> =>
    target.save(prompt).finally(() => retried.delete(job.key));
  // Until the prompt is recorded, another click would send it again.
  retried.add(job.key);
  try {
    return await prompts.send({ ...target, save, text: last.text });
  } finally {
    retried.delete(job.key);
  }
}

/** The jobs that are about to be tried again. */
const retried = new Set<string>();

/** Opens the box for a new job in the same project, with the job's first prompt. */
export async function duplicateJob(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts, sender, composer } = options;
  const job = await picker.choose(readJobName(argument), 'duplicateJob');
  const first = job && firstPrompt(job);
  if (job === undefined || first === undefined) {
    return undefined;
  }
  const { home } = job;
  return prompts.ask({
    title: newJobTitle(home),
    placeholder: vscode.l10n.t('What should the agent do?'),
    value: first.text,
    draft: `${jobFolder(job.key)}/duplicate`,
    home,
    compose: (text) => composer.openForHome(home, text),
    save: (prompt) => sender.create(home, prompt),
  });
}
