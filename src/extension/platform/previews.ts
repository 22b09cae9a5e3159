import type { Memento } from 'vscode';
import { Emitter } from '../../base/disposable';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE, type ServiceLocation } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';

/** True if the hosted service has a branch of the job that it could show. */
export function hasHostedBranch({ location, snapshot }: TrackedJob): boolean {
  return location.service !== LOCAL_SERVICE && snapshot?.ref != null && snapshot.ref !== '';
}

const STORED = 'projectsWithoutPreviews';

/** Remembers the projects whose plan has no previews. */
export class Previews {
  private readonly changed: Emitter<void>;

  constructor(
    private readonly memento: Memento,
    log: Logger,
  ) {
    this.changed = new Emitter((error) => log.error('a listener of previews failed', error));
  }

  /** Fires when previews are offered for other projects than before. */
  get onDidChange(): Emitter<void>['event'] {
    return this.changed.event;
  }

  /** Whether a preview of this job is offered. */
  isOffered(job: TrackedJob): boolean {
    return hasHostedBranch(job) && !this.missing.includes(nameOf(job.location));
  }

  /** Records whether the project's plan has previews. */
  async learn(location: ServiceLocation, hasPreviews: boolean): Promise<void> {
    const name = nameOf(location);
    if (this.missing.includes(name) === hasPreviews) {
      const others = this.missing.filter((each) => each !== name);
      await this.memento.update(STORED, hasPreviews ? others : [...others, name]);
      this.changed.fire();
    }
  }

  private get missing(): readonly string[] {
    return this.memento.get<readonly string[]>(STORED, []);
  }
}

function nameOf({ service, projectId }: ServiceLocation): string {
  return JSON.stringify([service, projectId]);
}
