import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { Redactor } from '../../shared/util/redact';
import { settings } from '../settings';
import { parseBaseUrl } from './serviceUrl';
import { storedNames } from './storedNames';

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
