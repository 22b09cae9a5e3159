import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { SendTime } from '../../platform/sendTime';
import { type Drafts, followUpDraft } from '../../sending/drafts';
import { type FollowUpParts, saveFollowUp } from '../../sending/followUps';
import { toLabel } from '../../platform/sanitize';
import { refuseTooLong, saveErrorText } from '../../sending/promptLimits';
import { type FollowUpEditor, SendCancelled } from '../../sending/promptSession';
import type { SendGuard } from '../../sending/sendGuard';

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
  const { drafts, guard, composer, log } = options;
  const draft = followUpDraft(job.key);
  drafts.type(draft, text);
  try {
    if (text.trim() === '') {
      return { isSaved: false, why: vscode.l10n.t('Enter a prompt.') };
    }
    refuseTooLong(job.home, text);
    const decision = await guard.ask(text, true);
    if ('look' in decision) {
      await composer.openForJob(job, text);
      return { isSaved: true };
    }
    if (!('send' in decision)) {
      return { isSaved: false };
    }
    // A run that started after the page was rendered is interrupted only if the user agrees.
    const { finished } = await saveFollowUp(options, job, decision.send, when);
    finished.catch((error: unknown) => log.error('couldn’t report the outcome of a follow-up', error));
    return { isSaved: true };
  } catch (error) {
    if (error instanceof SendCancelled) {
      return { isSaved: false };
    }
    log.error('couldn’t save a follow-up, so it wasn’t sent', error);
    return { isSaved: false, why: saveErrorText(error, toLabel) };
  }
}
