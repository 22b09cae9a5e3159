import * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { Logger } from '../../../shared/util/logger';
import type { Composer } from '../../prompt/composer/composer';
import { type Drafts, followUpDraft } from '../../prompt/drafts';
import type { SendGuard } from '../../prompt/guard/sendGuard';
import { notKeptOnPage } from '../../prompt/notKept';
import { refuseTooLong } from '../../prompt/tooLong';
import { whenToSend } from '../../prompt/whenToSend';
import type { Sender } from '../../sender';

const { t } = vscode.l10n;

export interface SendFromPageOptions {
  drafts: Drafts;
  guard: SendGuard;
  sender: Sender;
  composer: Composer;
  log: Logger;
}

/** The text is kept elsewhere now; or it is not, for a reason, or because the user wants it not to go. */
export type PageSend = { kept: true } | { kept: false; why?: string | undefined };

/** A send as the page asks for it. */
export interface PageRequest {
  text: string;
  later: boolean;
  /** Both ways, now and after the run, were there to be chosen. */
  hadChoice: boolean;
}

/** Sends what was typed on a page, by the way that all prompts go. Never rejects. */
export async function sendFromPage(
  options: SendFromPageOptions,
  job: TrackedJob,
  { text, later, hadChoice }: PageRequest,
): Promise<PageSend> {
  const { drafts, guard, sender, composer, log } = options;
  const draft = followUpDraft(job.key);
  drafts.type(draft, text);
  try {
    if (text.trim() === '') {
      return { kept: false, why: t('Type what the agent should do. An empty prompt is not sent.') };
    }
    refuseTooLong(job.home, text);
    const decision = await guard.ask(text, true);
    if ('look' in decision) {
      await composer.openForJob(job, text);
      return { kept: true };
    }
    const time = 'send' in decision ? await timeOf(job, later, hadChoice) : undefined;
    if (!('send' in decision) || time === undefined) {
      await drafts.flush(draft);
      return { kept: false };
    }
    const { finished } = await sender.followUp(job, decision.send, time);
    finished.catch((error: unknown) => log.error('what became of a follow-up could not be told', error));
    return { kept: true };
  } catch (error) {
    log.error('a follow-up could not be saved, and was not sent', error);
    await drafts.flush(draft);
    return { kept: false, why: notKeptOnPage(error) };
  }
}

/** A run that began after the page was drawn is interrupted only when the user says so. */
async function timeOf(job: TrackedJob, later: boolean, hadChoice: boolean): Promise<'now' | 'ended' | undefined> {
  return later ? 'ended' : hadChoice ? 'now' : whenToSend(job);
}
