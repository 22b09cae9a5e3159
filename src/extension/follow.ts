import * as vscode from 'vscode';
import type { JobStore } from '../jobs/jobStore';
import { Notices } from '../jobs/notices';
import type { Outbox } from '../jobs/outbox';
import type { Poller } from '../jobs/poller';
import { delay, systemClock as clock } from '../shared/util/clock';
import { DisposableStore } from '../shared/util/disposable';
import type { Logger } from '../shared/util/logger';
import { Notifications } from './notifications';
import type { ApiKeys } from './services/apiKeys';
import type { JobsTree } from './views/jobsTree';
import type { JobsView } from './views/jobsView';

export interface FollowOptions {
  store: JobStore;
  outbox: Outbox;
  poller: Poller;
  tree: JobsTree;
  view: JobsView;
  keys: ApiKeys;
  log: Logger;
}

/**
 * Joins store, outbox, poller and notices: reads the records, asks once for each job that was running, and goes on from
 * there.
 */
export function follow({ store, outbox, poller, tree, view, keys, log }: FollowOptions): vscode.Disposable {
  const owned = new DisposableStore();
  const restore = async (): Promise<void> => {
    try {
      await store.load();
      tree.refresh();
      view.update();
      await firstRound(poller);
    } catch (error) {
      log.error('the list of jobs could not be read', error);
    }
  };
  // Not before all below listens.
  const caughtUp = Promise.resolve().then(restore);
  const notifications = new Notifications(store, log);
  const present = notifications.present.bind(notifications);
  owned.add(new Notices({ store, clock, log, present, caughtUp }));
  owned.add(
    store.onDidChange(({ job, event }) => {
      if (event?.type === 'created' || event?.type === 'tracked') {
        poller.reached(job.home.service);
      }
      poller.follow(job);
      outbox.adopt(job);
      if (event?.type === 'created' || event?.type === 'changed') {
        log.info(`job ${event.job.id} is ${event.job.status}${event.job.error === null ? '' : `: ${event.job.error}`}`);
      }
    }),
  );
  owned.add(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        void poller.pollNow();
      }
    }),
  );
  owned.add(keys.onDidChange((service) => void poller.pollNow(service)));
  return owned;
}

/** How long the notices of what ended meanwhile wait for each other, in milliseconds: one service may not answer at all. */
const FIRST_ROUND_MS = 10_000;

/** Asks once for each job that was running. Sets no timer when there is none. */
async function firstRound(poller: Poller): Promise<void> {
  if (!poller.isFollowing) {
    return;
  }
  const done = new AbortController();
  const patience = delay(clock, FIRST_ROUND_MS, done.signal).catch(() => undefined);
  await Promise.race([poller.pollNow(), patience]);
  done.abort();
}
