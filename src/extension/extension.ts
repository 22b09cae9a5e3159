import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { JobStore } from '../jobs/jobStore';
import { Outbox } from '../jobs/outbox';
import { Poller } from '../jobs/poller';
import { systemClock as clock } from '../shared/util/clock';
import { Redactor } from '../shared/util/redact';
import { JobFiles } from '../storage/jobFiles';
import { type DocsAgentApi, createApi } from './api';
import type { Commands } from './commands';
import { registerCommands } from './commands/register';
import { setContextKey } from './contextKeys';
import { follow } from './follow';
import { CONTEXT_KEYS } from './ids';
import { Log } from './log';
import { ApiKeys } from './services/apiKeys';
import { LocalService } from './services/localService';
import { ServiceAccess } from './services/serviceAccess';
import { JobsTree } from './views/jobsTree';
import { JobsView } from './views/jobsView';

/** Builds the parts, joins them and registers them; reads no record and sends nothing before it has returned. */
export function activate(context: vscode.ExtensionContext): DocsAgentApi {
  const own = <T extends vscode.Disposable>(part: T): T => (context.subscriptions.push(part), part);
  const newId = (): string => randomBytes(8).toString('hex');
  const redactor = new Redactor();
  const log = own(new Log(redactor));
  const keys = new ApiKeys(context.secrets, redactor);
  const localAvailable = !(
    vscode.env.remoteName !== undefined && context.extension.extensionKind === vscode.ExtensionKind.UI
  );
  const data = context.globalStorageUri.fsPath;
  const program = context.asAbsolutePath('dist/service.mjs');
  const mayStart = (): boolean => localAvailable && vscode.workspace.isTrusted;
  const local = new LocalService({ program, folder: `${data}/local-service`, keys, log, mayStart });
  const access = own(new ServiceAccess(keys, local));
  const store = new JobStore({ files: new JobFiles(`${data}/jobs`, log), clock, newId, log });
  const outbox = own(new Outbox({ store, api: access, clock, newId, log }));
  const poller = own(new Poller({ store, api: access, clock, random: Math.random, log }));
  const tree = own(new JobsTree(store, poller));
  const view = own(new JobsView({ tree, store, poller, keys, log }));
  const parts = { store, outbox, poller, tree, access, local, localAvailable, keys, log };
  let loaded: Promise<Commands> | undefined;
  const commands = (): Promise<Commands> =>
    (loaded ??= import('./commands').then(({ buildCommands }) => buildCommands(parts)));
  own(registerCommands(async (id, argument) => (await commands()).run[id](argument), log));
  setContextKey(CONTEXT_KEYS.localService, localAvailable);
  own(follow({ store, outbox, poller, tree, view, keys, log }));
  return createApi({ store, commands, log });
}
