import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import type { Composer } from '../prompt/composer/composer';
import { canFollowUp } from '../presentation/jobState';
import { followUpDraft } from '../prompt/drafts';
import type { Keep, PromptBox } from '../prompt/promptBox';
import { atEnd, followUpWords, keepFollowUp } from '../prompt/whenToSend';
import type { Sender, Sending } from '../sender';
import { toLabel } from '../text';
import { jobTitle, projectLabel } from '../presentation/jobText';
import { readFollowUp, readJobName } from './arguments';

export interface SendFollowUpOptions {
  store: JobStore;
  picker: JobPicker;
  prompts: PromptBox;
  sender: Sender;
  composer: Composer;
}

/** A further prompt to a job that the service has. */
export async function sendFollowUp(options: SendFollowUpOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readFollowUp(argument);
  if (given?.prompt?.trim() === '') {
    void vscode.window.showWarningMessage(vscode.l10n.t('An empty prompt is not sent.'));
    return undefined;
  }
  const job = await chooseForFollowUp(options.picker, readJobName(argument) ?? given?.jobId);
  if (job === undefined) {
    return undefined;
  }
  const { effect, sendLater } = followUpWords(job);
  const box = {
    title: followUpTitle(job),
    placeholder: vscode.l10n.t('What should the agent change or add?'),
    hint: effect,
    other: atEnd(sendLater),
    home: job.home,
    draft: followUpDraft(job.key),
    compose: (text: string) => options.composer.openForJob(job, text),
  };
  const typed: Keep<TrackedJob> = (prompt, said) => keepFollowUp(options, job, prompt, said ?? given?.when);
  const named = (prompt: string): Promise<Sending> => keepFollowUp(options, job, prompt, given?.when ?? 'now');
  return given?.prompt === undefined
    ? options.prompts.ask(box, typed)
    : options.prompts.given(given.prompt, box, named, typed);
}

export function chooseForFollowUp(picker: JobPicker, name: string | undefined): Promise<TrackedJob | undefined> {
  const title = vscode.l10n.t('Follow up on which job?');
  return picker.choose(name, title, canFollowUp);
}

export function followUpTitle(job: TrackedJob): string {
  return vscode.l10n.t('Follow-up to “{0}” in {1}', toLabel(jobTitle(job), 50), projectLabel(job));
}
