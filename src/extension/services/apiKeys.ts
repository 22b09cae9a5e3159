import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { Redactor } from '../../shared/util/redact';

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
