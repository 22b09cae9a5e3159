import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable';
import type { Redactor } from '../base/redact';
import type { LocalServiceClient, NetworkSettings } from '../client';
import { CONTEXT_KEYS } from './ids';
import { ApiKeys } from './platform/apiKeys';
import { CodeHostTokens } from './platform/codeHostTokens';
import { setContextKey } from './platform/contextKeys';
import type { Host } from './platform/host';
import { LocalAccess } from './platform/localAccess';
import { LocalService } from './platform/localService';
import type { Log } from './platform/log';
import { LazyClients, proxySettings, ServiceAccess } from './platform/serviceAccess';
import { showJobListReplaced } from './presentation/notifications';
import { settings } from './settings';

/** The hosted and the local service, and the secrets that they take. */
export interface Services extends Disposable {
  keys: ApiKeys;
  tokens: CodeHostTokens;
  clients: LazyClients;
  /** How hosted services are reached. */
  network: () => NetworkSettings;
  /** The process of the local service. */
  local: LocalService;
  /** The requests that only the local service answers. */
  localAccess: LocalAccess;
  /** The requests that every service answers. */
  access: ServiceAccess;
}

export function startServices(host: Host, secrets: vscode.SecretStorage, redactor: Redactor, log: Log): Services {
  const keys = new ApiKeys(secrets, redactor);
  const tokens = new CodeHostTokens(secrets, redactor, log);
  const network = (): NetworkSettings => proxySettings(redactor);
  const clients = new LazyClients(keys, network);
  const client = async (): Promise<LocalServiceClient> => (await clients.load()).local;
  const local = new LocalService({
    program: host.program,
    folder: `${host.data}/local-service`,
    keys,
    log,
    mayStart: () => host.localAvailable && vscode.workspace.isTrusted,
    release: host.release,
    limits: () => ({
      concurrency: settings.concurrency(),
      turnMs: settings.turnLimitMs(),
      keepDays: settings.keepDays(),
    }),
    onSetAside: showJobListReplaced,
    retire: async (target) => (await client()).shutdown(target, 'idle'),
  });
  setContextKey(CONTEXT_KEYS.localService, host.localAvailable);
  const agentFound = (found: boolean): void => setContextKey(CONTEXT_KEYS.agentMissing, !found);
  const localAccess = new LocalAccess({ service: local, tokens, client, keys, log, agentFound });
  const access = new ServiceAccess(keys, local, clients, localAccess);
  return { keys, tokens, clients, network, local, localAccess, access, dispose: () => clients.dispose() };
}
