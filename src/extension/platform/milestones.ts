import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { makePrivateFolder } from '../../base/files';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import { CONTEXT_KEYS, EXTENSION_ID, STEPS, WALKTHROUGH } from '../ids';
import { setContextKey } from './contextKeys';

/** What the user has done at least once, each with the context key that completes a walkthrough step. */
const MILESTONES = {
  hostedConnected: CONTEXT_KEYS.hostedConnected,
  localConnected: CONTEXT_KEYS.localConnected,
  jobAccepted: CONTEXT_KEYS.jobAccepted,
  pullRequestOpened: CONTEXT_KEYS.pullRequestOpened,
} as const;

export type Milestone = keyof typeof MILESTONES;

/**
 * Remembers what has happened at least once, across reloads and for all windows. Each milestone is an empty file,
 * because the editor's own storage loses changes made shortly before a reload.
 *
 * The editor never completes a step whose `onContext` event already holds when it first reads the walkthrough, which
 * may be long after startup (`registerDoneListeners` in its gettingStartedService.ts). So a step is also marked by the
 * editor's own command, and has several completion events that can't all hold then.
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
        // A service that has accepted a job is connected, however it was set up.
        this.reach(job.home.service === LOCAL_SERVICE ? 'localConnected' : 'hostedConnected');
      }
    });
    this.loaded = this.load();
  }

  /** Records a milestone, whether it is reached now or was before. */
  reach(milestone: Milestone): void {
    if (!this.known.has(milestone)) {
      this.tell(milestone);
      this.keep(milestone).catch((error: unknown) => this.log.warn(`couldn’t save “${milestone}”`, error));
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

  /**
   * The command marks the step even when it rejects because the walkthrough has not been read yet. If the command is
   * missing, the completion events remain.
   */
  private mark(step: string): void {
    vscode.commands
      .executeCommand('welcome.markStepComplete', `${EXTENSION_ID}#${WALKTHROUGH}#${step}`)
      .then(undefined, () => undefined);
  }
}
