import * as vscode from 'vscode';
import { type RunWait, runWait } from '../../jobs/afterRun';
import type { PollHealth } from '../../jobs/pollHealth';
import type { OutgoingPrompt, TrackedJob } from '../../jobs/trackedJob';

/** What a follow-up that was to go after the run waits for, in a few words and in sentences. */
export interface RunWaitText {
  short: string;
  long: string;
  /** Nothing lets it go but the user, or a later run that ends well. */
  isHeld: boolean;
}

/** Undefined for a prompt that waits for no run. */
export function runWaitText(job: TrackedJob, send: OutgoingPrompt, health?: PollHealth): RunWaitText | undefined {
  const wait = runWait(job, send);
  const lost = wait === 'run' && health?.failure === 'notFound';
  return wait === undefined ? undefined : lost ? lostWords() : wordsFor(wait, job);
}

function wordsFor(wait: RunWait, job: TrackedJob): RunWaitText {
  switch (wait) {
    case 'run':
      return {
        short: vscode.l10n.t('waits for the end of this run'),
        long: vscode.l10n.t(
          'It goes by itself when the present run has ended well. If the run fails, it is held until you decide, or until a later run of this job ends well.',
        ),
        isHeld: false,
      };
    case 'before':
      return {
        short: vscode.l10n.t('waits for the follow-up before it'),
        long: vscode.l10n.t('It goes by itself after the follow-up before it, and the run that one begins.'),
        isHeld: false,
      };
    case 'held':
      return heldWords(job);
    case 'unsure':
      return {
        short: vscode.l10n.t('held: an earlier follow-up may be at work'),
        long: vscode.l10n.t(
          'The agent may have received an earlier follow-up, and this one would interrupt it. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
        isHeld: true,
      };
  }
}

function heldWords({ snapshot }: TrackedJob): RunWaitText {
  return snapshot?.status === 'archived'
    ? {
        short: vscode.l10n.t('held: the job is archived'),
        long: vscode.l10n.t(
          'It was to go after the run, but the job was archived. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
        isHeld: true,
      }
    : {
        short: vscode.l10n.t('held: the run failed'),
        long: vscode.l10n.t(
          'It was to go after the run, but the run failed. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
        isHeld: true,
      };
}

function lostWords(): RunWaitText {
  return {
    short: vscode.l10n.t('waits: the job can’t be found at the moment'),
    long: vscode.l10n.t(
      'The service can’t find the job at the moment. It goes by itself when the job is found again and its run has ended well. Send it now, change it or discard it.',
    ),
    isHeld: false,
  };
}
