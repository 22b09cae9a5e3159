import { readFile } from 'node:fs/promises';
import { type Disposable, Emitter } from '../../base/disposable';
import { replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE, type ServiceLocation } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';

/** True if the hosted service has a branch of the job that it could show. */
export function hasHostedBranch({ home, snapshot }: TrackedJob): boolean {
  return home.service !== LOCAL_SERVICE && snapshot?.ref != null && snapshot.ref !== '';
}

/** Remembers, for all windows, the projects whose plan has no previews. */
export class Previews implements Disposable {
  private readonly missing = new Set<string>();
  private readonly changed: Emitter<void>;
  private readonly loaded: Promise<void>;

  constructor(
    private readonly file: string,
    private readonly log: Logger,
  ) {
    this.changed = new Emitter((error) => log.error('a listener of previews failed', error));
    this.loaded = this.load();
  }

  /** Fires when previews are offered for other projects than before. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** Whether a preview of this job is offered. */
  isOffered(job: TrackedJob): boolean {
    return hasHostedBranch(job) && !this.missing.has(nameOf(job.home));
  }

  /** Records whether the project's plan has previews. */
  async learn(home: ServiceLocation, hasPreviews: boolean): Promise<void> {
    await this.loaded;
    const name = nameOf(home);
    if (this.missing.has(name) !== hasPreviews) {
      return;
    }
    if (hasPreviews) {
      this.missing.delete(name);
    } else {
      this.missing.add(name);
    }
    this.changed.fire();
    await replaceFile(this.file, JSON.stringify([...this.missing])).catch((error: unknown) =>
      this.log.warn('couldn’t save which projects have no previews', error),
    );
  }

  dispose(): void {
    this.missing.clear();
  }

  private async load(): Promise<void> {
    const names = decodeJson(await readFile(this.file, 'utf8').catch(() => '[]'));
    (Array.isArray(names) ? names : []).forEach((name) => typeof name === 'string' && this.missing.add(name));
    if (this.missing.size > 0) {
      this.changed.fire();
    }
  }
}

function nameOf({ service, projectId }: ServiceLocation): string {
  return JSON.stringify([service, projectId]);
}
