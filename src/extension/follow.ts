import * as vscode from 'vscode';
import type { JobEngine } from '../jobs/jobEngine';
import { makePrivateFolder } from '../shared/util/fileModes';
import { DisposableStore } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import { RecordChanges } from '../storage/recordChanges';
import type { ApiKeys } from './services/apiKeys';
import type { ListState } from './views/listState';
import type { JobsView } from './views/jobsView';
import { WindowChanges } from './windowChanges';

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
