import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable';
import { makePrivateFolder } from '../base/files';
import type { Logger } from '../base/logger';
import type { JobEngine } from '../jobs/jobEngine';
import { RecordChanges } from '../jobs/store/recordFolder';
import type { JobsView } from './features/jobs-view/jobsView';
import type { ListState } from './features/jobs-view/listState';
import type { ApiKeys } from './platform/apiKeys';

export interface FollowOptions {
  engine: JobEngine;
  /** The folder of the records, which all windows write to. */
  records: string;
  list: ListState;
  view: Pick<JobsView, 'opened'>;
  keys: ApiKeys;
  log: Logger;
}

/** Joins the domain and the editor: reads the records, follows what other windows write, and goes on from there. */
export function follow({ engine, records, list, view, keys, log }: FollowOptions): vscode.Disposable {
  const { store } = engine;
  const owned = new DisposableStore();
  const changes = new RecordChanges(records);
  const windows = owned.add(
    new WindowChanges({ look: () => changes.look(), refresh: (key) => store.refresh(key), log }),
  );
  const start = async (): Promise<void> => {
    try {
      // A watcher of a folder that is not there hears nothing.
      await makePrivateFolder(records);
      owned.add(followOtherWindows(engine, records));
      await windows.begin(vscode.window.state.focused);
      await list.load();
      await engine.open(() => view.opened());
    } catch (error) {
      log.error('the list of jobs could not be read', error);
    }
  };
  owned.add(
    store.onDidChange(({ event }) => {
      if (event?.type === 'created' || event?.type === 'changed' || event?.type === 'resumed') {
        log.info(`job ${event.job.id} is ${event.job.status}${event.job.error === null ? '' : `: ${event.job.error}`}`);
      }
    }),
  );
  owned.add(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      windows.focus(focused);
      if (focused) {
        void engine.lookNow();
      }
    }),
  );
  owned.add(keys.onDidChange((service) => engine.keyChanged(service)));
  // Not before all of this listens.
  void Promise.resolve().then(start);
  return owned;
}

/** How long a job's files may settle before they are read again, in milliseconds. */
const SETTLE_MS = 100;

function followOtherWindows({ store }: JobEngine, records: string): vscode.Disposable {
  const owned = new DisposableStore();
  const pattern = new vscode.RelativePattern(vscode.Uri.file(records), '*/*');
  const watcher = owned.add(vscode.workspace.createFileSystemWatcher(pattern, false, true, true));
  const due = new Map<string, NodeJS.Timeout>();
  owned.add({ dispose: () => due.forEach((timer) => clearTimeout(timer)) });
  owned.add(
    watcher.onDidCreate(({ path }) => {
      const key = path.split('/').at(-2) ?? '';
      if (!due.has(key)) {
        const timer = setTimeout(() => {
          due.delete(key);
          void store.refresh(key);
        }, SETTLE_MS);
        due.set(key, timer);
      }
    }),
  );
  return owned;
}

/** How often it is looked for what other windows wrote while the user is in this one, in milliseconds. */
export const LOOK_MS = 5000;

export interface WindowChangesOptions {
  /** The jobs that were written to since the last look. */
  look: () => Promise<readonly string[]>;
  refresh: (key: string) => Promise<void>;
  log: Logger;
}

/**
 * Follows other windows where the editor's watcher hears nothing: its limit is reached, or the disk is a network's. It
 * looks when the user comes to this window and every few seconds while they are there; else no timer runs.
 */
export class WindowChanges {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private hasBegun = false;

  constructor(private readonly options: WindowChangesOptions) {}

  /** From now on changes count; what was written before is read with all records. */
  async begin(isFocused: boolean): Promise<void> {
    await this.options.look();
    this.hasBegun = true;
    this.focus(isFocused);
  }

  focus(isFocused: boolean): void {
    if (!this.hasBegun || !isFocused) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else if (this.timer === undefined) {
      this.timer = setInterval(() => void this.look(), LOOK_MS);
      void this.look();
    }
  }

  dispose(): void {
    this.hasBegun = false;
    this.focus(false);
  }

  private look(): Promise<void> {
    return (this.looking ??= this.lookOnce()
      .catch((error: unknown) => this.options.log.warn('what other windows wrote could not be looked for', error))
      .finally(() => (this.looking = undefined)));
  }

  private async lookOnce(): Promise<void> {
    const { look, refresh } = this.options;
    for (const key of await look()) {
      await refresh(key);
    }
  }
}
