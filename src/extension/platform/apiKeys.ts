import * as vscode from 'vscode';
import type { SecretStorage } from 'vscode';
import type { Redactor } from '../../base/redact';
import { LOCAL_SERVICE } from '../../jobs/events';
import { ServiceError } from '../../protocol/errors';
import { settings } from '../settings';
import { parseBaseUrl } from './baseUrl';

const PREFIX = 'docsAgent.apiKey:';

/** API keys in SecretStorage, one per service (its origin, or `local`). A key is only ever sent in a request header. */
export class ApiKeys {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly redactor: Redactor,
  ) {}

  async get(service: string): Promise<string | undefined> {
    const key = await this.secrets.get(PREFIX + service);
    if (key !== undefined) {
      this.redactor.add(key);
    }
    return key;
  }

  async set(service: string, key: string): Promise<void> {
    this.redactor.add(key);
    await this.secrets.store(PREFIX + service, key);
  }

  /** Redacts the key from now on, whether or not it is stored. */
  addSecret(key: string): void {
    this.redactor.add(key);
  }

  /** Redacts all stored keys whose names can be determined. */
  async addStoredSecrets(): Promise<void> {
    const hosted = parseBaseUrl(settings.baseUrl());
    const present = [LOCAL_SERVICE, ...('problem' in hosted ? [] : [hosted.origin])];
    const named = await storedNames(this.secrets, PREFIX);
    await Promise.all([...new Set([...present, ...named])].map((service) => this.get(service)));
  }

  /** Returns where a text contains redacted keys or tokens. */
  find(text: string): { start: number; end: number }[] {
    return this.redactor.find(text);
  }

  /** Redacts the keys that a value from a service may repeat. */
  redactDeep<T>(value: T): T {
    return this.redactor.redactDeep(value);
  }

  async clear(service: string): Promise<void> {
    await this.secrets.delete(PREFIX + service);
  }

  /** Calls back with the service whose key changed, in any window. */
  onDidChange(listener: (service: string) => void): vscode.Disposable {
    return this.secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) {
        listener(key.slice(PREFIX.length));
      }
    });
  }
}

/** The name of a service, for display. */
export function serviceName(service: string): string {
  return service === LOCAL_SERVICE ? vscode.l10n.t('local service') : new URL(service).host;
}

/** The hosted service whose key format is known. */
export const DEFAULT_ORIGIN = 'https://api.mintlify.com';

/** What is wrong with an entered key. */
export type KeyProblem = 'empty' | 'whitespace' | 'nonAscii' | 'otherKind' | 'prefix';

/**
 * Checks the format of a key before it is stored or sent. Returns undefined if the key may be tried.
 *
 * Keys that begin with `mint_dsc_` or `mint_us_` belong to other products of the default hosted service, and this API
 * rejects them; its administrator keys begin with `mint_` (service documentation). Other services use other formats.
 */
export function keyProblem(key: string, origin: string): KeyProblem | undefined {
  if (key === '') {
    return 'empty';
  }
  if (/\s/.test(key)) {
    return 'whitespace';
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return 'nonAscii';
  }
  if (origin !== DEFAULT_ORIGIN) {
    return undefined;
  }
  if (/^mint_(dsc|us)_/.test(key)) {
    return 'otherKind';
  }
  return key.startsWith('mint_') ? undefined : 'prefix';
}

/** Returns the names of stored secrets without the prefix; empty if the editor can't list them (older versions). */
export async function storedNames(
  secrets: SecretStorage & { keys?: () => Thenable<string[]> },
  prefix: string,
): Promise<string[]> {
  const names = (await secrets.keys?.()) ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The answer of a service, or its error, without keys that it repeats. */
export async function redacted<T>(keys: Pick<ApiKeys, 'redactDeep'>, asking: Promise<T>): Promise<T> {
  try {
    return keys.redactDeep(await asking);
  } catch (error) {
    throw error instanceof ServiceError ? redactError(error, keys) : error;
  }
}

function redactError(error: ServiceError, keys: Pick<ApiKeys, 'redactDeep'>): ServiceError {
  const { effect, status, retryAfterMs, cause } = error;
  const { detail, coded, code } = keys.redactDeep({ detail: error.detail, coded: error.coded, code: error.code });
  return new ServiceError(error.kind, { effect, status, retryAfterMs, cause, detail, coded, code });
}
