import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { JobStore } from '../../../jobs/jobStore';
import type { CommandHandlers } from '../../ids';
import type { LocalService } from '../../platform/localService';
import type { Log } from '../../platform/log';
import type { Repositories } from '../../platform/repositories';
import { toApiJob } from '../../presentation/apiJob';
import type { Drafts } from '../../sending/drafts';
import type { Projects } from '../../sending/projects';
import type { SecretFinder, SendGuard } from '../../sending/sendGuard';
import type { Sender } from '../../sending/sender';
import { PromptBox } from './box/promptBox';
import { ContextInserter } from './box/contextInserter';
import { composePrompt, createJob, sendComposed, sendFollowUp, type SendFollowUpOptions } from './box/promptCommands';
import { duplicateJob, retryJob } from './box/repeatJob';
import { createJobFromSelection, sendFollowUpFromSelection } from './box/selectionPrompts';
import { discardPrompt, editAndSend, sendAgain, type UnsentPromptOptions } from './box/unsentPrompt';
import { Composer } from './composer/composer';
import { previewPrompt, renderPreview } from './composer/previewPrompt';
import { PromptStatus } from './composer/promptStatus';
import { PromptTargets, type PromptTargetsOptions } from './composer/promptTargets';
import { SecretDiagnostics } from './composer/secretDiagnostics';
import { ContextCompletion } from './context/contextCompletion';
import { LastEditor } from './context/lastEditor';
import { type NotesOf, permalinks } from './context/permalinks';

export { sendFollowUpText } from './box/promptCommands';

/** The places where prompts are written, and what they take from the editor. */
export interface Prompts extends Disposable {
  composer: Composer;
  targets: PromptTargets;
  /** Returns the preview of a prompt. */
  preview: (prompt: vscode.Uri) => Promise<string>;
  /** Collects context in the current prompt, or in a new one. */
  desk: ContextInserter;
  /** The input box for short prompts. */
  prompts: PromptBox;
  lastEditor: LastEditor;
  notesOf: NotesOf;
  local: Pick<LocalService, 'find'>;
}

export interface PromptsOptions {
  /** The folder with the files that this extension writes, and the folder of the extension itself. */
  data: string;
  extensionUri: vscode.Uri;
  store: JobStore;
  budget: PromptTargetsOptions['budget'];
  drafts: Drafts;
  projects: Projects;
  sender: Sender;
  finder: SecretFinder;
  guard: SendGuard;
  local: Pick<LocalService, 'find'>;
  repositories: Repositories;
  log: Log;
}

export function startPrompts(options: PromptsOptions): Prompts {
  const { store, drafts, projects, guard, finder, local, repositories, log } = options;
  const owned = new DisposableStore();
  const targets = new PromptTargets(options);
  const composer = owned.add(new Composer({ drafts, targets, guard, sender: options.sender, log }));
  owned.add(new PromptStatus(targets, store, log));
  owned.add(new SecretDiagnostics(finder, log));
  const preview = (prompt: vscode.Uri): Promise<string> => renderPreview({ composer, targets, local }, prompt);
  const lastEditor = owned.add(new LastEditor());
  const desk = new ContextInserter(composer, projects, log);
  const notesOf = permalinks(repositories, log);
  const { data, extensionUri } = options;
  const context = { composer, lastEditor, notesOf, repositories, desk, log, data, extensionUri };
  owned.add(new ContextCompletion(async () => (await import('./context/addContext')).completionSource(context)));
  const prompts = new PromptBox({ drafts, guard, log });
  return { composer, targets, preview, local, desk, prompts, lastEditor, notesOf, dispose: () => owned.dispose() };
}

type Options = Omit<Prompts, 'dispose'> &
  SendFollowUpOptions &
  UnsentPromptOptions &
  Pick<PromptsOptions, 'projects' | 'repositories' | 'data' | 'extensionUri' | 'log'>;

export function promptCommands(options: Options): CommandHandlers {
  return {
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
    'docsAgent.discardPrompt': (argument) => discardPrompt(options, argument),
  };
}
