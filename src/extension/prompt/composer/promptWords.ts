import * as vscode from 'vscode';
import { promptText } from '../../../prompt/promptText';
import { toLabel } from '../../text';
import { numberText } from '../../invisibleWords';
import { timeText } from '../../presentation/jobText';
import { type PromptSize, sizeOf } from '../tooLong';
import type { ComposerTarget } from './composerTarget';
import type { RemainingQuota, TargetFacts } from './targetFacts';

/** From this part of a limit on the bytes are told. */
const NEAR = 0.75;

/** What is told of a prompt that is open, above it and in the status bar. */
export interface PromptWords {
  target: string;
  /** What sending does now, or why it can't be sent. */
  send: string;
  /** It is longer than its service takes. */
  tooLong: boolean;
  /** It has to wait for the hour's limit. */
  waits: boolean;
  /** The second way to send, after the present run; undefined when there is none to wait for. */
  sendLater: string | undefined;
  /** What a send does to its job; empty for a new one. */
  effect: string;
  length: string;
  /** What the hour still allows; empty where nothing is counted. */
  room: string;
}

export async function wordsOf(
  document: vscode.TextDocument,
  target: ComposerTarget,
  facts: TargetFacts,
): Promise<PromptWords> {
  const prompt = promptText(document.getText());
  const size = sizeOf(facts.homeOf(target, true)?.service, prompt);
  const room = await facts.remainingQuota(target);
  const followUp = facts.followUpWordsOf(target);
  const name = toLabel(facts.nameOf(target), 60);
  return {
    target: name,
    send: sendWords(name, size, room, followUp?.sendLater !== undefined),
    sendLater: followUp?.sendLater,
    effect: followUp?.effect ?? '',
    tooLong: size.over > 0,
    waits: room?.nextAt !== undefined,
    length: lengthWords(prompt.length, size),
    room: room === undefined ? '' : quotaText(room),
  };
}

function sendWords(name: string, { over }: PromptSize, room: RemainingQuota | undefined, interrupts: boolean): string {
  if (over > 0) {
    return vscode.l10n.t('Too long to send: {0} bytes over the limit', numberText(over));
  }
  if (room?.nextAt === undefined) {
    return interrupts ? vscode.l10n.t('Interrupt {0} and send', name) : vscode.l10n.t('Send to {0}', name);
  }
  return interrupts
    ? vscode.l10n.t('Interrupt {1} and send when allowed (at {0})', timeText(room.nextAt), name)
    : vscode.l10n.t('Send when allowed (at {0}) to {1}', timeText(room.nextAt), name);
}

function lengthWords(length: number, { bytes, limit }: PromptSize): string {
  const characters = length === 1 ? vscode.l10n.t('1 character') : vscode.l10n.t('{0} characters', numberText(length));
  return limit === undefined || bytes < limit * NEAR
    ? characters
    : vscode.l10n.t('{0}, {1} of {2} bytes', characters, numberText(bytes), numberText(limit));
}

function quotaText({ left, size, nextAt }: RemainingQuota): string {
  return nextAt === undefined
    ? vscode.l10n.t('{0} of {1} left this hour, as counted here', left, size)
    : vscode.l10n.t('none left this hour, as counted here: it is sent by itself at {0}', timeText(nextAt));
}
