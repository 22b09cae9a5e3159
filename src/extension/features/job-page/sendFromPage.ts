import type { Logger } from '../../../base/logger';
import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { SendTime } from '../../platform/sendTime';
import { type Drafts, followUpDraft } from '../../sending/drafts';
import { type FollowUpEditor, type FollowUpParts, saveFollowUp } from '../../sending/followUps';
import { toLabel } from '../../platform/sanitize';
import { saveErrorText } from '../../sending/promptLimits';
import { type SendGuard, sendPrompt } from '../../sending/sendPrompt';

export interface SendFromPageOptions extends FollowUpParts {
  store: JobStore;
  drafts: Drafts;
  guard: SendGuard;
  composer: FollowUpEditor;
  log: Logger;
}

/** The text was saved elsewhere; or it was not, because of a failure or because the user decided against sending. */
export type PageSend = { isSaved: true } | { isSaved: false; why?: string | undefined };

/** A send request from the page. */
export interface PageRequest {
  text: string;
  /** Set when both ways to send were offered; otherwise the user is asked before a run is interrupted. */
  when?: SendTime | undefined;
}

/** Sends text typed on a page, the same way as all prompts. Never rejects. */
export async function sendFromPage(
  options: SendFromPageOptions,
  job: TrackedJob,
  { text, when }: PageRequest,
): Promise<PageSend> {
  const { drafts, composer, log } = options;
  drafts.type(followUpDraft(job.key), text);
  const result = await sendPrompt(options, {
    location: job.location,
    text: () => text,
    time: when,
    edit: () => composer.openForJob(job, text),
    // A run that started after the page was rendered is interrupted only if the user agrees.
    save: (prompt, time) => saveFollowUp(options, job, prompt, time),
  });
  if (result.outcome === 'sent') {
    result.sending.finished.catch((error: unknown) => log.error('couldn’t report the outcome of a follow-up', error));
  }
  return result.outcome === 'sent' || result.outcome === 'saved'
    ? { isSaved: true }
    : { isSaved: false, why: result.outcome === 'failed' ? saveErrorText(result.error, toLabel) : undefined };
}
