import * as vscode from 'vscode';
import { once, systemClock } from '../base/async';
import { DisposableStore } from '../base/disposable';
import { makePrivateFolder } from '../base/files';
import type { Logger } from '../base/logger';
import { LOCAL_SERVICE } from '../jobs/events';
import { JobEngine } from '../jobs/jobEngine';
import { JobFiles } from '../jobs/store/jobFiles';
import { openLeaderFile } from '../jobs/store/leaderFile';
import type { QuotaFiles } from '../jobs/store/quotaFiles';
import { RecordChanges } from '../jobs/store/recordChanges';
import { pingUserInterface } from './platform/contextKeys';
import { type Host, newId } from './platform/host';
import { LocalJobUpdates } from './platform/localAccess';
import { Notifications } from './presentation/notifications';
import type { Services } from './startServices';

export interface EngineOptions {
  host: Host;
  services: Services;
  budget: QuotaFiles;
  log: Logger;
}

export function createEngine({ host, services, budget, log }: EngineOptions): JobEngine {
  const { access, local, clients, keys } = services;
  return new JobEngine({
    files: new JobFiles(recordFolder(host), log, once(showNewerRecords)),
    budget,
    leader: openLeaderFile(`${host.data}/leader.json`, log),
    api: access,
    news: new LocalJobUpdates(local, clients, keys, access),
    uiProbe: { ping: pingUserInterface },
    notifier: new Notifications(log),
    random: Math.random,
    clock: systemClock,
    newId,
    log,
  });
}

/** Nothing is lost: this version leaves the records of a newer one as they are. */
function showNewerRecords(): void {
  const reload = vscode.l10n.t('Reload Window');
  const text = vscode.l10n.t('Some jobs were saved by a newer version of this extension. Reload the window to use it.');
  void vscode.window.showWarningMessage(text, reload).then((choice) => {
    if (choice === reload) {
      void vscode.commands.executeCommand('workbench.action.reloadWindow');
    }
  });
}

const recordFolder = ({ data }: Host): string => `${data}/jobs`;

export interface StartOptions {
  host: Host;
  services: Services;
  engine: JobEngine;
  /** Called when all records have been read. */
  onOpened: () => void;
  log: Logger;
}

/** Connects the engine to the editor: reads the records, follows changes by other windows, then resumes work. */
export function startEngine({ host, services, engine, onOpened, log }: StartOptions): vscode.Disposable {
  const { store } = engine;
  const { keys, local, localAccess } = services;
  const records = recordFolder(host);
  const owned = new DisposableStore();
  const changes = new RecordChanges(records);
  const start = async (): Promise<void> => {
    try {
      // A watcher on a folder that does not exist reports nothing.
      await makePrivateFolder(records);
      owned.add(followOtherWindows(engine, records));
      // From here on, it reports what other windows write; reading all records covers the rest.
      await changes.find();
      await engine.open(onOpened);
    } catch (error) {
      log.error('couldn’t read the job list', error);
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
      if (focused) {
        void engine.lookNow();
        // The editor's file watcher may miss changes, because its limit is reached or the disk is on a network.
        void changes.find().then((keys) => keys.forEach((key) => void store.refresh(key)));
      }
    }),
  );
  owned.add(keys.onDidChange((service) => engine.keyChanged(service)));
  local.onStarted = (target) => {
    const running = store.jobs.filter(
      ({ location, endedAt }) => location.service === LOCAL_SERVICE && endedAt === undefined,
    );
    void localAccess.prepareProjects(target, [...new Set(running.map(({ location }) => location.projectId))]);
  };
  // Starts only after all listeners are registered.
  void Promise.resolve().then(start);
  return owned;
}

/** Delay before a job's changed files are read again, in milliseconds. */
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
