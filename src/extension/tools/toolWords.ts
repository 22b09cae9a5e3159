import * as vscode from 'vscode';
import { jobStatus } from '../../jobs/jobStatus';
import type { TrackedJob } from '../../jobs/trackedJob';
import { numberText } from '../prompt/tooLong';
import { serviceName } from '../services/apiKeys';
import { toLabel, toText, toTooltip } from '../text';
import { jobTitle, projectLabel } from '../views/jobWords';

const { t } = vscode.l10n;

/** So much of a prompt is shown before it is sent, in characters; how long it is in all stands beside it. */
const SHOWN = 600;

/** Where a new job would go, as far as that is known without asking. */
export interface Destination {
  service: string;
  /** Undefined where the user is asked for it afterwards. */
  project?: string | undefined;
}

export function createQuestion({ service, project }: Destination, prompt: string): vscode.PreparedToolInvocation {
  const name = project === undefined ? undefined : toLabel(project, 60);
  const title =
    name === undefined
      ? t('Send a documentation job? ({0})', serviceName(service))
      : t('Send a documentation job to {0}? ({1})', name, serviceName(service));
  const where =
    name === undefined ? t('You are asked for the project next.') : t('An agent works on it and opens a pull request.');
  const invocationMessage = name === undefined ? t('Sending a job') : t('Sending a job to {0}', name);
  return { invocationMessage, confirmationMessages: { title, message: shown([where], prompt) } };
}

export function followUpQuestion(job: TrackedJob, prompt: string): vscode.PreparedToolInvocation {
  const name = toLabel(jobTitle(job), 60);
  const about = t('Project: {0} ({1}).', projectLabel(job), serviceName(job.home.service));
  const running = isRunningNow(job)
    ? [t('This job is still running: a follow-up stops the present work and starts on the new prompt.')]
    : [];
  return {
    invocationMessage: t('Sending a follow-up to “{0}”', name),
    confirmationMessages: {
      title: t('Send a follow-up to “{0}”?', name),
      message: shown([about, ...running], prompt),
    },
  };
}

/** True while a follow-up would stop what the agent is doing. */
export function isRunningNow(job: TrackedJob): boolean {
  return jobStatus(job) === 'active';
}

/** The prompt as it is: chats draw Markdown, and the dialogue without a chat the same as plain text. */
function shown(sentences: readonly string[], prompt: string): vscode.MarkdownString {
  const size =
    prompt.length > SHOWN
      ? t('The prompt has {0} characters and begins:', numberText(prompt.length))
      : t('The prompt ({0} characters):', numberText(prompt.length));
  const message = new vscode.MarkdownString();
  for (const sentence of [...sentences, size]) {
    message.appendText(toTooltip(sentence)).appendMarkdown('\n\n');
  }
  return message.appendCodeblock(toText(prompt, SHOWN), 'text');
}
