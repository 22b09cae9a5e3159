import * as vscode from 'vscode';
import type { TrackedJob } from '../../jobs/trackedJob';
import { interrupts } from '../prompt/whenToSend';
import { serviceName } from '../services/apiKeys';
import { invisibleWords } from '../invisibleWords';
import { toQuestion, toTooltip } from '../text';
import { numberText } from '../invisibleWords';
import { jobTitle, projectLabel } from '../presentation/jobText';
import { shownPrompt } from './shownPrompt';

/** Where a new job would go, as far as that is known without asking. */
export interface Destination {
  service: string;
  /** Undefined where the user is asked for it afterwards. */
  project?: string | undefined;
}

/** @param warning what is to be thought of before the prompt goes */
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

/** The same for a further prompt. */
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

/** The prompt as it is: chats draw Markdown, and the dialogue without a chat the same as plain text. */
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
