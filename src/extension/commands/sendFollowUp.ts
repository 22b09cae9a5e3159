import * as vscode from 'vscode';
import { jobStatus } from '../../jobs/jobStatus';
import { type TrackedJob, isListed } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import type { Composer } from '../prompt/composer/composer';
import { followUpDraft } from '../prompt/drafts';
import type { PromptBox } from '../prompt/promptBox';
import type { Sender, Sending } from '../sender';
import { toLabel } from '../text';
import { jobTitle, projectLabel } from '../views/jobWords';
import { readFollowUp, readJobName } from './arguments';

const { t } = vscode.l10n;

export interface SendFollowUpOptions {
  picker: JobPicker;
  prompts: PromptBox;
  sender: Sender;
  composer: Composer;
}

/** A further prompt to a job that the service has. */
export async function sendFollowUp(options: SendFollowUpOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readFollowUp(argument);
  if (given?.prompt?.trim() === '') {
    void vscode.window.showWarningMessage(t('An empty prompt is not sent.'));
    return undefined;
  }
  const job = await chooseForFollowUp(options.picker, readJobName(argument) ?? given?.jobId);
  if (job === undefined) {
    return undefined;
  }
  const box = {
    title: followUpTitle(job),
    placeholder: t('What should the agent change or add?'),
    hint: interruptHint(job),
    home: job.home,
    draft: followUpDraft(job.key),
    compose: (text: string) => options.composer.openForJob(job, text),
  };
  const keep = (prompt: string): Promise<Sending> => options.sender.followUp(job, prompt);
  return given?.prompt === undefined ? options.prompts.ask(box, keep) : options.prompts.given(given.prompt, box, keep);
}

export function chooseForFollowUp(picker: JobPicker, name: string | undefined): Promise<TrackedJob | undefined> {
  const title = t('Follow up on which job?');
  return picker.choose(name, title, (job) => job.snapshot !== undefined && isListed(job));
}

export function followUpTitle(job: TrackedJob): string {
  return t('Follow-up to “{0}” in {1}', toLabel(jobTitle(job), 50), projectLabel(job));
}

/** A message to a running job stops what it is doing (service documentation); undefined when there is nothing to stop. */
export function interruptHint(job: TrackedJob): string | undefined {
  return jobStatus(job) === 'active'
    ? t('This job is still running: a follow-up stops the present work and starts on the new prompt.')
    : undefined;
}
