import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { JobStore } from '../../../jobs/jobStore';
import type { CommandHandlers } from '../../ids';
import { newId } from '../../platform/host';
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
import { TargetFacts, type TargetFactsOptions } from './composer/composerTarget';
import { PreviewLens, previewPrompt, requestAddress } from './composer/previewPrompt';
import { PromptRefresh } from './composer/promptDocuments';
import { ComposerLens, PromptStatus } from './composer/promptStatus';
import { SecretDiagnostics } from './composer/secretDiagnostics';
import { ContextCompletion } from './context/contextCompletion';
import { LastEditor } from './context/lastEditor';
import { type NotesOf, notesByGit } from './context/notesOf';

export { sendFollowUpText } from './box/promptCommands';

/** The places where prompts are written, and what they take from the editor. */
export interface Prompts extends Disposable {
  composer: Composer;
  facts: TargetFacts;
  /** Collects context in the current prompt, or in a new one. */
  desk: ContextInserter;
  /** The input box for short prompts. */
  prompts: PromptBox;
  lastEditor: LastEditor;
  notesOf: NotesOf;
}

export interface PromptsOptions {
  store: JobStore;
  budget: TargetFactsOptions['budget'];
  drafts: Drafts;
  projects: Projects;
  windowProjects: TargetFactsOptions['windowProjects'];
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
  const facts = new TargetFacts(options);
  const composer = owned.add(new Composer({ ...options, facts, newId }));
  const refresh = owned.add(new PromptRefresh(store));
  owned.add(new ComposerLens(facts, refresh));
  owned.add(new PromptStatus(facts, refresh, log));
  owned.add(new SecretDiagnostics(finder, log));
  owned.add(new PreviewLens({ facts, drafts, addressOf: requestAddress(facts, local) }));
  const lastEditor = owned.add(new LastEditor());
  const desk = new ContextInserter(composer, projects, log);
  const notesOf = notesByGit(repositories, log);
  const context = { composer, lastEditor, notesOf, repositories, desk, log };
  owned.add(new ContextCompletion(async () => (await import('./context/addContext')).completionSource(context)));
  const prompts = new PromptBox(drafts, guard, log);
  return { composer, facts, desk, prompts, lastEditor, notesOf, dispose: () => owned.dispose() };
}

type Options = Omit<Prompts, 'dispose'> &
  SendFollowUpOptions &
  UnsentPromptOptions & { projects: Projects; repositories: Repositories; log: Log };

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
    'docsAgent.promptHistory': async (argument) =>
      (await import('./box/promptHistory')).promptHistory(options, argument),
    'docsAgent.sendNow': async (argument) => toApiJob(await sendAgain(options, argument)),
    'docsAgent.editAndSend': async (argument) => toApiJob(await editAndSend(options, argument)),
    'docsAgent.discardPrompt': (argument) => discardPrompt(options, argument),
  };
}
