import type * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { toApiJob } from '../../presentation/apiJob';
import { ContextInserter } from './box/contextInserter';
import { PromptBox } from './box/promptBox';
import {
  composePrompt,
  createJob,
  duplicateJob,
  retryJob,
  sendComposed,
  sendFollowUp,
  sendFollowUpText,
} from './box/promptCommands';
import { createJobFromSelection, sendFollowUpFromSelection } from './box/selectionPrompts';
import { changeProject, discardPrompt, editAndSend, sendAgain } from './box/unsentPrompt';
import { Composer } from './composer/composer';
import { previewPrompt, renderPreview } from './composer/previewPrompt';
import { PromptStatus } from './composer/promptStatus';
import { PromptTargets } from './composer/promptTargets';
import { SecretDiagnostics } from './composer/secretDiagnostics';
import { ContextCompletion } from './context/contextCompletion';
import { LastEditor, type NotesOf, permalinks } from './context/places';

/** What other features do with prompts. */
export interface PromptPorts {
  composer: Composer;
  /** Sends a text to a job without a box. If that fails or is refused, nothing of it is lost. */
  sendFollowUpText(job: TrackedJob, text: string): Promise<TrackedJob | undefined>;
  /** Returns what would be sent for the prompt with this address. */
  preview(prompt: vscode.Uri): Promise<string>;
}

/** What the commands of this feature take their collaborators from. */
export interface PromptApp extends Omit<App, 'sendFollowUpText'> {
  targets: PromptTargets;
  /** The input box for short prompts. */
  prompts: PromptBox;
  /** Collects context in the current prompt, or in a new one. */
  inserter: ContextInserter;
  lastEditor: LastEditor;
  notesOf: NotesOf;
}

export function register(app: Omit<App, keyof PromptPorts>): PromptPorts & { commands: CommandHandlers } {
  const { owned, store, drafts, guard, log } = app;
  const targets = new PromptTargets(app);
  const composer = owned.add(new Composer({ drafts, targets, guard, sender: app.sender, log }));
  owned.add(new PromptStatus(targets, store, log));
  owned.add(new SecretDiagnostics(app.finder, log));
  const preview = (prompt: vscode.Uri): Promise<string> => renderPreview(options, prompt);
  const options: PromptApp = {
    ...app,
    composer,
    targets,
    preview,
    prompts: new PromptBox({ drafts, guard, log }),
    inserter: new ContextInserter(composer, app.projects, log),
    lastEditor: owned.add(new LastEditor()),
    notesOf: permalinks(app.repositories, log),
  };
  owned.add(new ContextCompletion(async () => (await import('./context/addContext')).completionSource(options)));
  const commands: CommandHandlers = {
    'docsAgent.createJob': async (argument) => toApiJob(await createJob(options, argument)),
    'docsAgent.createJobFromSelection': async (argument) => toApiJob(await createJobFromSelection(options, argument)),
    'docsAgent.sendFollowUp': async (argument) => toApiJob(await sendFollowUp(options, argument)),
    'docsAgent.sendFollowUpFromSelection': async (argument) =>
      toApiJob(await sendFollowUpFromSelection(options, argument)),
    'docsAgent.retryJob': async (argument) => toApiJob(await retryJob(options, argument)),
    'docsAgent.duplicateJob': async (argument) => toApiJob(await duplicateJob(options, argument)),
    'docsAgent.composePrompt': (argument) => composePrompt(options, argument),
    'docsAgent.sendComposed': async (argument) => toApiJob(await sendComposed(options, argument)),
    'docsAgent.previewPrompt': (argument) => previewPrompt(options, argument),
    'docsAgent.document': async (argument) => (await import('./changes/documentThis')).documentThis(options, argument),
    'docsAgent.addContext': async (argument) => (await import('./context/addContext')).addContext(options, argument),
    'docsAgent.promptHistory': async () => (await import('./box/promptHistory')).promptHistory(options),
    'docsAgent.sendNow': async (argument) => toApiJob(await sendAgain(options, argument)),
    'docsAgent.editAndSend': async (argument) => toApiJob(await editAndSend(options, argument)),
    'docsAgent.changeProject': async (argument) => toApiJob(await changeProject(options, argument)),
    'docsAgent.discardPrompt': (argument) => discardPrompt(options, argument),
  };
  return { composer, preview, sendFollowUpText: (job, text) => sendFollowUpText(options, job, text), commands };
}
