import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
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
 * Remembers what has happened at least once.
 *
 * The editor never completes a step whose `onContext` event already holds when it first reads the walkthrough, which
 * may be long after startup (`registerDoneListeners` in its gettingStartedService.ts). So a step is also marked by the
 * editor's own command, and has several completion events that can't all hold then.
 */
export class Milestones {
  private readonly listening: Disposable;

  constructor(
    private readonly memento: vscode.Memento,
    store: JobStore,
  ) {
    for (const milestone of Object.keys(MILESTONES) as Milestone[]) {
      if (this.isReached(milestone)) {
        setContextKey(MILESTONES[milestone], true);
      }
    }
    this.listening = store.onDidChange(({ job }) => {
      if (job.prompts.some(({ kind, state }) => kind === 'create' && state === 'created')) {
        this.record('jobAccepted');
        // A service that has accepted a job is connected, however it was set up.
        this.record(job.location.service === LOCAL_SERVICE ? 'localConnected' : 'hostedConnected');
      }
    });
  }

  /** Records a milestone, whether it is reached now or was before. */
  record(milestone: Milestone): void {
    if (!this.isReached(milestone)) {
      setContextKey(MILESTONES[milestone], true);
      this.mark(STEPS[milestone]);
      void this.memento.update(milestone, true);
    }
  }

  dispose(): void {
    this.listening.dispose();
  }

  private isReached(milestone: Milestone): boolean {
    return this.memento.get(milestone) === true;
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
