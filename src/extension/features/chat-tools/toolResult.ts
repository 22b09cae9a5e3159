import * as vscode from 'vscode';
import { boundText, dropInvisible, MAX_FIELD } from '../../../base/text';
import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';
import { isHeld } from '../../../jobs/waiting';
import { serviceName } from '../../platform/apiKeys';
import { invisibleWords, numberText } from '../../platform/numberText';
import { toQuestion, toTooltip } from '../../platform/sanitize';
import type { Job } from '../../presentation/apiJob';
import { jobTitle, projectLabel } from '../../presentation/jobText';
import { interrupts } from '../../sending/followUps';
import { shownPrompt } from './toolDesk';

/** The limit for a whole list, in UTF-16 units, because each costs the model tokens. */
const MAX_LIST = 60_000;

/**
 * Texts for models, in plain sentences and JSON. Always in English: no person reads them, and models follow the wording
 * of the tool descriptions.
 */

/** The result of sending a prompt. */
export function sentText(job: Job, send: OutgoingPrompt): string {
  return `${outcome(send)}\n${factsText(job)}`;
}

/** What is known about one job. */
export function jobText(job: Job): string {
  return `${stateText(job)}\n${factsText(job)}`;
}

/** The newest jobs, and how many more there are. */
export function listText(jobs: readonly Job[], total: number): string {
  if (total === 0) {
    return 'No job in the list fits.';
  }
  const lines = fitting(jobs.map(factsText));
  const rest = total - lines.length;
  const more = rest === 0 ? '' : `\n${rest} older ones are not shown; ask with a higher limit or a status.`;
  return `${total} ${total === 1 ? 'job fits' : 'jobs fit'}, newest first:\n${lines.join('\n')}${more}`;
}

/** Returns as many of the first lines as fit into one answer. */
function fitting(lines: readonly string[]): string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > MAX_LIST);
  return lines.slice(0, end === -1 ? undefined : Math.max(1, end));
}

function outcome(send: OutgoingPrompt): string {
  if (isHeld(send)) {
    return 'The prompt was not sent: it is kept in the list, where the user decides about it. Do not send it again by yourself.';
  }
  switch (send.state) {
    case 'created':
      return send.kind === 'followUp'
        ? 'The follow-up was accepted. The agent works on it in the background, in the same pull request.'
        : 'The job was accepted. The agent works on it in the background, for minutes as a rule, and the user is told when it ends. There is no need to wait for it.';
    case 'rejected':
      return 'The service did not accept the prompt. It is kept in the list, where the user sees why and can change it and send it. Do not send it again by yourself.';
    case 'unconfirmed':
      return 'No answer came: the service may have accepted the prompt. Do not send it again; the user looks for it and decides.';
    case 'discarded':
      return 'The prompt was not sent as it was: the user gave it up or changed it meanwhile. Do not send it again by yourself.';
    default:
      return 'The prompt is kept and is sent by itself as soon as that works. Do not send it again.';
  }
}

function stateText({ status, prLink, serviceStatus }: Job): string {
  switch (status) {
    case 'sending':
    case 'waiting':
      return 'The prompt has not reached the service yet; it is sent by itself.';
    case 'rejected':
      return 'The service did not accept the prompt; it waits in the list for the user.';
    case 'unconfirmed':
      return 'The service may have accepted the prompt; no answer came.';
    case 'active':
      return 'The agent is working on it.';
    case 'completed':
      return prLink === null ? 'It is finished, without a pull request.' : 'It is finished: there is a pull request.';
    case 'failed':
      return 'It failed.';
    case 'archived':
      return 'It was archived.';
    case 'unknown':
      return `The service tells a state that is not known here: ${JSON.stringify(told(serviceStatus) ?? '')}.`;
  }
}

/** One line of JSON, so that text from a service can't pass for one of ours. */
function factsText(job: Job): string {
  const { key, id, status, pending, prLink, title, projectId, service, error, createdAt, updatedAt, followUps } = job;
  // A truncated link would point somewhere else.
  const pullRequest = (prLink?.length ?? 0) > MAX_FIELD ? null : prLink;
  const facts = { key, id: told(id), status, pendingFollowUp: pending, pullRequest, title: told(title) };
  const texts = { project: told(projectId), service, error: told(error) };
  return JSON.stringify({ ...facts, ...texts, createdAt, updatedAt, followUps });
}

/** Bounds untrusted text and removes invisible characters. */
function told(text: string | undefined): string | undefined {
  return text === undefined ? undefined : dropInvisible(boundText(text, MAX_FIELD));
}

/** Where a new job would go, as far as that is known without asking. */
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
      ? vscode.l10n.t('You are asked for the project next.')
      : vscode.l10n.t('An agent works on it and opens a pull request.');
  const invocationMessage =
    name === undefined ? vscode.l10n.t('Sending a job') : vscode.l10n.t('Sending a job to {0}', name);
  return { invocationMessage, confirmationMessages: { title, message: shown([where, warning], prompt) } };
}

/** Like `createQuestion`, for a follow-up. */
export function followUpQuestion(job: TrackedJob, prompt: string, warning?: string): vscode.PreparedToolInvocation {
  const name = toQuestion(jobTitle(job), 60);
  const about = vscode.l10n.t('Project: {0} ({1}).', projectLabel(job), serviceName(job.home.service));
  const running = interrupts(job)
    ? vscode.l10n.t('This job is still running: a follow-up stops the present work and starts on the new prompt.')
    : undefined;
  return {
    invocationMessage: vscode.l10n.t('Sending a follow-up to “{0}”', name),
    confirmationMessages: {
      title: vscode.l10n.t('Send a follow-up to “{0}”?', name),
      message: shown([about, running, warning], prompt),
    },
  };
}

/** Shows the prompt verbatim: chats render the Markdown, and the dialog outside of a chat shows it as plain text. */
function shown(sentences: readonly (string | undefined)[], prompt: string): vscode.MarkdownString {
  const message = new vscode.MarkdownString();
  const say = (sentence: string): unknown => message.appendText(toTooltip(sentence)).appendMarkdown('\n\n');
  const { beginning, end, invisible } = shownPrompt(prompt);
  const size = vscode.l10n.t('The prompt ({0} characters):', numberText(prompt.length));
  [...sentences, invisibleWords(invisible), size].filter((sentence) => sentence !== undefined).forEach(say);
  message.appendCodeblock(beginning, 'text');
  if (end !== undefined) {
    say(vscode.l10n.t('{0} characters in the middle are not shown. The prompt ends:', numberText(end.leftOut)));
    message.appendCodeblock(end.text, 'text');
  }
  return message;
}
