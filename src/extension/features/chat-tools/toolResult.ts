import * as vscode from 'vscode';
import { countInvisible, showInvisible } from '../../../base/text';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import { isHeld } from '../../../jobs/waiting';
import { boundedFacts, jsonLines } from '../../../protocol/docsTools';
import { JOB_WORDS } from '../../../protocol/jobState';
import { serviceName } from '../../platform/apiKeys';
import { invisibleText, numberText } from '../../platform/numberText';
import { safeLink } from '../../platform/pullRequestLink';
import { toQuestion, toTooltip } from '../../platform/sanitize';
import type { Job } from '../../presentation/apiJob';
import type { JobState } from '../../presentation/jobStates';
import { jobTitle } from '../../presentation/jobText';
import { interrupts } from '../../sending/followUps';

/** The limit for a whole list, in UTF-16 units, because each costs the model tokens. */
const MAX_LIST = 60_000;

/**
 * Texts for models, in plain sentences and JSON. Always in English: no person reads them, and models follow the wording
 * of the tool descriptions.
 */

/** The result of sending a prompt. */
export function sentText(job: Job, prompt: OutgoingPrompt): string {
  return jsonLines(outcome(prompt), [factsOf(job)]);
}

const NOT_SENT = 'The prompt has not reached the service yet. It will be sent automatically.';
const NOT_ACCEPTED = 'The service rejected the prompt. It is saved in the Jobs view for the user.';

export const WORDS: Readonly<Record<JobState, string>> = {
  ...JOB_WORDS,
  sending: NOT_SENT,
  waiting: NOT_SENT,
  needsKey: NOT_ACCEPTED,
  rejected: NOT_ACCEPTED,
  unconfirmed: 'The service did not respond, so it may have accepted the prompt.',
  discarded: 'The user discarded the prompt before it was sent.',
  unchecked: JOB_WORDS.running,
};

/** What is known about one job. */
export function jobText(job: Job, state: JobState): string {
  return jsonLines(WORDS[state], [factsOf(job)]);
}

/** The newest jobs, and how many more there are. */
export function listText(jobs: readonly Job[], total: number): string {
  if (total === 0) {
    return 'No tracked job matches.';
  }
  const facts = jobs.map(factsOf);
  let length = 0;
  const end = facts.findIndex((each) => (length += JSON.stringify(each).length) > MAX_LIST);
  const shown = facts.slice(0, end === -1 ? undefined : Math.max(1, end));
  const list = jsonLines(`${total} ${total === 1 ? 'job matches' : 'jobs match'}, newest first:`, shown);
  const rest = total - shown.length;
  return list + (rest === 0 ? '' : `\n${rest} older jobs are not shown. Use a higher limit or filter by status.`);
}

function outcome(prompt: OutgoingPrompt): string {
  if (isHeld(prompt)) {
    return 'The prompt was not sent. It is on hold in the Jobs view until the user decides. Do not send it again.';
  }
  switch (prompt.state) {
    case 'created':
      return prompt.kind === 'followUp'
        ? 'The follow-up was accepted. The agent is working on it in the background, in the same pull request.'
        : 'The job was accepted. The agent is working on it in the background, which usually takes minutes. The user is notified when it finishes, so do not wait for it.';
    case 'rejected':
      return 'The service rejected the prompt. It is saved in the Jobs view, where the user can see why, edit it, and resend it. Do not send it again.';
    case 'unconfirmed':
      return 'The service did not respond, so it may have accepted the prompt. Do not send it again. The user will check and decide.';
    case 'discarded':
      return 'The user discarded or edited the prompt before it was sent. Do not send it again.';
    default:
      return 'The prompt is queued and will be sent automatically. Do not send it again.';
  }
}

function factsOf(job: Job): object {
  const { key, id, status, serviceStatus, stopped, pending: pendingFollowUp, prLink, title } = job;
  const { projectId: project, service, error, createdAt, updatedAt, followUps } = job;
  // An unsafe link may hide text for the model.
  const pullRequest = safeLink(prLink) === undefined ? null : prLink;
  const facts = { key, id, status, serviceStatus, stopped, pendingFollowUp, pullRequest, title, project, service };
  return boundedFacts({ ...facts, error, createdAt, updatedAt, followUps });
}

/** What is known without asking about where a new job would go. */
export interface Destination {
  service: string;
  /** Undefined if the user will be asked for it afterwards. */
  project?: string | undefined;
}

/** @param warning what the user should consider before the prompt is sent */
export function createQuestion(
  { service, project }: Destination,
  prompt: string,
  warning?: string,
): vscode.PreparedToolInvocation {
  const name = project === undefined ? undefined : toQuestion(project, 60);
  const title =
    name === undefined
      ? vscode.l10n.t('Send a documentation job? ({0})', serviceName(service))
      : vscode.l10n.t('Send a documentation job to {0}? ({1})', name, serviceName(service));
  const where =
    name === undefined
      ? vscode.l10n.t('Docs Agent will ask you for the project next.')
      : vscode.l10n.t('An agent works on it in the background. The result is a pull request or changes to review.');
  const invocationMessage =
    name === undefined ? vscode.l10n.t('Sending a job') : vscode.l10n.t('Sending a job to {0}', name);
  return { invocationMessage, confirmationMessages: { title, message: confirmationMessage([where, warning], prompt) } };
}

/** Like `createQuestion`, for a follow-up. */
export function followUpQuestion(job: TrackedJob, prompt: string, warning?: string): vscode.PreparedToolInvocation {
  const name = toQuestion(jobTitle(job), 60);
  const { service, projectId, projectName: project = projectId } = job.location;
  const about = vscode.l10n.t('Project: {0} ({1}).', toQuestion(project, 60), serviceName(service));
  const running = interrupts(job)
    ? vscode.l10n.t('The agent is still working. A follow-up interrupts it and starts a new run.')
    : undefined;
  return {
    invocationMessage: vscode.l10n.t('Sending a follow-up to “{0}”', name),
    confirmationMessages: {
      title: vscode.l10n.t('Send a follow-up to “{0}”?', name),
      message: confirmationMessage([about, running, warning], prompt),
    },
  };
}

/** Shows the prompt verbatim: chats render the Markdown, and the dialog outside of a chat shows it as plain text. */
function confirmationMessage(sentences: readonly (string | undefined)[], prompt: string): vscode.MarkdownString {
  const message = new vscode.MarkdownString();
  const say = (sentence: string): unknown => message.appendText(toTooltip(sentence)).appendMarkdown('\n\n');
  const { beginning, end, invisible } = shownPrompt(prompt);
  const size = vscode.l10n.t('The prompt ({0} characters):', numberText(prompt.length));
  [...sentences, invisibleText(invisible), size].filter((sentence) => sentence !== undefined).forEach(say);
  message.appendCodeblock(beginning, 'text');
  if (end !== undefined) {
    say(vscode.l10n.t('{0} characters in the middle aren’t shown. The prompt ends with:', numberText(end.leftOut)));
    message.appendCodeblock(end.text, 'text');
  }
  return message;
}

/** How much of the beginning and end of a long prompt is shown before it is sent, in characters. */
const HEAD = 3000;
const TAIL = 1500;

/** The parts of a program's prompt that are shown to the user for confirmation. */
export interface ShownPrompt {
  /** The whole prompt or its beginning, verbatim except that invisible characters are written as their numbers. */
  beginning: string;
  /** Only for a long prompt. */
  end?: { leftOut: number; text: string };
  /** The number of invisible characters in the whole prompt. */
  invisible: number;
}

/** Includes the end of a very long prompt, because a misled model would hide something there. */
export function shownPrompt(prompt: string): ShownPrompt {
  const invisible = countInvisible(prompt);
  const leftOut = prompt.length - HEAD - TAIL;
  if (leftOut <= 0) {
    return { beginning: showInvisible(prompt), invisible };
  }
  const end = { leftOut, text: showInvisible(prompt.slice(-TAIL)) };
  return { beginning: showInvisible(prompt.slice(0, HEAD)), end, invisible };
}
