import * as vscode from 'vscode';
import type { SecretStorage } from 'vscode';
import type { Redactor } from '../../base/redact';
import { LOCAL_SERVICE } from '../../jobs/events';
import { settings } from '../settings';
import { parseBaseUrl } from './serviceAccess';

const PREFIX = 'docsAgent.apiKey:';

/** The keys in SecretStorage, one a service (its origin, or `local`). A key goes nowhere but into a request's header. */
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

  /** From now on the key is blotted out, kept or not. */
  conceal(key: string): void {
    this.redactor.add(key);
  }

  /** The same of all keys that are stored, as far as their names can be told. */
  async concealStored(): Promise<void> {
    const hosted = parseBaseUrl(settings.baseUrl());
    const present = [LOCAL_SERVICE, ...('problem' in hosted ? [] : [hosted.origin])];
    const named = await storedNames(this.secrets, PREFIX);
    await Promise.all([...new Set([...present, ...named])].map((service) => this.get(service)));
  }

  /** Where a text holds one of the keys and tokens that are blotted out. */
  find(text: string): { start: number; end: number }[] {
    return this.redactor.find(text);
  }

  /** What came from a service, without the keys that it may repeat. */
  blotAll<T>(value: T): T {
    return this.redactor.blotAll(value);
  }

  async clear(service: string): Promise<void> {
    await this.secrets.delete(PREFIX + service);
  }

  /** Calls back with the service whose key changed, in whatever window. */
  onDidChange(listener: (service: string) => void): vscode.Disposable {
    return this.secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) {
        listener(key.slice(PREFIX.length));
      }
    });
  }
}

/** What a person calls a service. */
export function serviceName(service: string): string {
  return service === LOCAL_SERVICE ? vscode.l10n.t('local service') : new URL(service).host;
}

/** The hosted service whose keys have a shape that is known. */
export const DEFAULT_ORIGIN = 'https://api.mintlify.com';

/** What is wrong with a key that was typed. */
export type KeyProblem = 'empty' | 'whitespace' | 'nonAscii' | 'otherKind' | 'prefix';

/**
 * Judges a key before it is kept or sent. Returns undefined for one that may be tried.
 *
 * Keys that begin with `mint_dsc_` or `mint_us_` belong to other products of the default hosted service and are refused
 * by this API; its administrator keys begin with `mint_` (service documentation). Other services have other keys.
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

/** What follows the prefix in the names of stored secrets; none where the editor can't list them (an older one). */
export async function storedNames(
  secrets: SecretStorage & { keys?: () => Thenable<string[]> },
  prefix: string,
): Promise<string[]> {
  const names = (await secrets.keys?.()) ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
