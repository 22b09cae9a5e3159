import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { makePrivateFolder } from '../../base/files';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import { CONTEXT_KEYS, EXTENSION_ID, STEPS, WALKTHROUGH } from '../ids';
import { setContextKey } from './contextKeys';

/** What a user has done at least once, each by the context key that checks off a step of the walkthrough. */
const MILESTONES = {
  hostedConnected: CONTEXT_KEYS.hostedConnected,
  localConnected: CONTEXT_KEYS.localConnected,
  jobAccepted: CONTEXT_KEYS.jobAccepted,
  pullRequestOpened: CONTEXT_KEYS.pullRequestOpened,
} as const;

export type Milestone = keyof typeof MILESTONES;

/**
 * Remembers what has happened for the first time, over reloads and for all windows: an empty file each, because the
 * editor's own store loses what is changed shortly before a reload.
 *
 * The editor never checks off a step whose `onContext` event already holds when it first reads the walkthrough, which
 * may be long after start-up (`registerDoneListeners` in its gettingStartedService.ts). So a step is marked by the
 * editor's own command besides, and has several events that can't all hold then.
 */
export class Milestones {
  private readonly known = new Set<Milestone>();
  private readonly listening: { dispose(): void };
  private readonly loaded: Promise<void>;
  private readonly kept = new Set<string>();

  constructor(
    private readonly folder: string,
    store: JobStore,
    private readonly log: Logger,
  ) {
    this.listening = store.onDidChange(({ job }) => {
      if (job.sends.some(({ kind, state }) => kind === 'create' && state === 'created')) {
        this.reach('jobAccepted');
        // A service that takes a job is connected, however that came about.
        this.reach(job.home.service === LOCAL_SERVICE ? 'localConnected' : 'hostedConnected');
      }
    });
    this.loaded = this.load();
  }

  /** It has happened, now or before. */
  reach(milestone: Milestone): void {
    if (!this.known.has(milestone)) {
      this.tell(milestone);
      this.keep(milestone).catch((error: unknown) => this.log.warn(`“${milestone}” could not be kept`, error));
    }
  }

  dispose(): void {
    this.listening.dispose();
  }

  private async load(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) {
      if (name in MILESTONES) {
        this.kept.add(name);
        this.tell(name as Milestone);
      }
    }
  }

  private tell(milestone: Milestone): void {
    this.known.add(milestone);
    setContextKey(MILESTONES[milestone], true);
  }

  private async keep(milestone: Milestone): Promise<void> {
    await this.loaded;
    if (this.kept.has(milestone)) {
      return;
    }
    this.mark(STEPS[milestone]);
    await makePrivateFolder(this.folder);
    await writeFile(join(this.folder, milestone), '');
  }

  /** It is marked even where this fails, because the walkthrough was not read yet; and without it there are the events. */
  private mark(step: string): void {
    vscode.commands
      .executeCommand('welcome.markStepComplete', `${EXTENSION_ID}#${WALKTHROUGH}#${step}`)
      .then(undefined, () => undefined);
  }
}
