import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { type CheckoutRecord, type CheckoutRecords, isUnderWay } from '../../../jobs/store/checkoutRecords';
import { COMMANDS } from '../../ids';
import { gitApi, type GitRepository, openRepositories } from '../../platform/gitExtension';
import { shownName } from '../../platform/jobRepository';
import { toLabel, toNotice, toPickLabel } from '../../platform/sanitize';
import { getHead, locateStash, type Progress } from './checkOut';
import { type CheckoutState, checkoutState, recordAfter, stashStamp } from './checkoutState';

/** Saves the progress of a checkout; undefined when it had no effect. */
export type SaveProgress = (progress: Progress | undefined) => Promise<CheckoutRecord | undefined>;

/** A checkout of a job's branch that can be undone. */
interface Checkout {
  repository: GitRepository;
  record: CheckoutRecord;
  state: CheckoutState;
}

export interface JobBranchesOptions {
  records: CheckoutRecords;
  goBack: (repository: GitRepository, record: CheckoutRecord) => Promise<void>;
  log: Logger;
}

/**
 * Shows in the status bar that a job's branch is checked out, or that changes stashed for it are waiting, and offers
 * the way back.
 */
export class JobBranches implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  private current: Checkout | undefined;
  /** By folder, because the Git extension returns a new object for a repository on every request. */
  private readonly watched = new Map<string, { subscription: vscode.Disposable; seen: string }>();
  private opening: vscode.Disposable | undefined;
  private refreshing: Promise<void> | undefined;
  private looksAgain = false;

  constructor(private readonly options: JobBranchesOptions) {}

  dispose(): void {
    this.item?.dispose();
    this.opening?.dispose();
    this.watched.forEach(({ subscription }) => void subscription.dispose());
  }

  /**
   * Returns the function that saves the progress of a new checkout and resolves to the record. Write errors do not stop
   * the checkout, because git itself has everything that matters.
   */
  async keeper({ rootUri: { fsPath: root } }: GitRepository, ref: string): Promise<SaveProgress> {
    const { records, log } = this.options;
    const last = await records.of(root);
    return async (progress) => {
      const by = { pid: process.pid, at: Date.now() };
      const record = progress === undefined ? last : recordAfter(last, { root, ref, by, ...progress });
      try {
        await (record === undefined ? records.forget(root) : records.keep(record));
      } catch (error) {
        log.warn('couldn’t save the progress of a checkout', error);
      }
      if (record === undefined || !isUnderWay(record)) {
        await this.refresh();
      }
      return record;
    };
  }

  /** Call this when the window opens: shows the current state, and reports a checkout that was interrupted. */
  async restore(): Promise<void> {
    await this.refresh();
    const { current } = this;
    if (current?.state !== 'cut') {
      return;
    }
    const bring = vscode.l10n.t('Restore My Changes');
    const text = vscode.l10n.t(
      'Checking out {0} in {1} was interrupted after your changes were stashed.',
      toNotice(current.record.ref, 100),
      shownName(current.repository),
    );
    if ((await vscode.window.showWarningMessage(text, bring)) === bring) {
      await this.leave();
    }
  }

  /** The record of the branch that is checked out in a repository; undefined if no job's branch is. */
  recordOf({ rootUri: { fsPath } }: GitRepository): CheckoutRecord | undefined {
    const { record, state } = this.current ?? {};
    return state === 'onBranch' && record?.root === fsPath ? record : undefined;
  }

  /** Goes back to what was checked out before. */
  async leave(): Promise<void> {
    await this.refresh();
    if (this.current === undefined) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('No job’s branch is checked out here. Choose “Check Out Branch…” in a job’s menu first.'),
      );
      return;
    }
    await this.options.goBack(this.current.repository, this.current.record);
    await this.refresh();
  }

  /** Refreshes the checked out branches. Concurrent calls are coalesced. */
  private async refresh(): Promise<void> {
    if (this.refreshing !== undefined) {
      this.looksAgain = true;
      return this.refreshing;
    }
    this.refreshing = this.lookOnce()
      .catch((error: unknown) => this.options.log.warn('couldn’t read the current branches', error))
      .finally(() => (this.refreshing = undefined));
    await this.refreshing;
    if (this.looksAgain) {
      this.looksAgain = false;
      await this.refresh();
    }
  }

  private async lookOnce(): Promise<void> {
    const records = await this.options.records.all();
    const api = records.length === 0 ? undefined : await gitApi();
    this.opening ??= api?.onDidOpenRepository((repository) => this.reopened(repository));
    const repositories = api === undefined ? [] : await openRepositories(api);
    const found: Checkout[] = [];
    for (const record of records) {
      const repository = repositories.find(({ rootUri }) => rootUri.fsPath === record.root);
      const checkout = repository && (await this.read(repository, record));
      found.push(...(checkout === undefined ? [] : [checkout]));
    }
    this.current = found.find(({ state }) => state === 'onBranch') ?? found[0];
    this.show();
  }

  private reopened(repository: GitRepository): void {
    const root = repository.rootUri.fsPath;
    this.watched.get(root)?.subscription.dispose();
    this.watched.delete(root);
    void this.refresh();
  }

  /**
   * Refreshes only when something else is checked out or stashed, because the Git extension fires for every saved file.
   */
  private async watch(repository: GitRepository): Promise<void> {
    const root = repository.rootUri.fsPath;
    const seen = await fingerprint(repository);
    const known = this.watched.get(root);
    if (known !== undefined) {
      known.seen = seen;
      return;
    }
    const subscription = repository.state.onDidChange(() => {
      fingerprint(repository)
        .then((now) => (now === this.watched.get(root)?.seen ? undefined : this.refresh()))
        .catch((error: unknown) => this.options.log.warn('couldn’t watch a repository', error));
    });
    this.watched.set(root, { subscription, seen });
  }

  /** Drops the record when it is over. */
  private async read(repository: GitRepository, record: CheckoutRecord): Promise<Checkout | undefined> {
    await this.watch(repository);
    if (isUnderWay(record)) {
      return undefined;
    }
    if (repository.state.HEAD === undefined) {
      await repository.status();
    }
    const state = await stateOf(repository, record);
    if (state !== 'over') {
      return { repository, record, state };
    }
    // The Git extension may lag behind a checkout made in another window.
    await repository.status();
    if ((await stateOf(repository, record)) !== 'over' || !(await this.options.records.drop(record))) {
      this.looksAgain = true;
      return undefined;
    }
    const [next] = record.earlier ?? [];
    return next && this.read(repository, { root: record.root, ...next, earlier: record.earlier?.slice(1) });
  }

  private show(): void {
    if (this.current === undefined) {
      this.item?.dispose();
      this.item = undefined;
      return;
    }
    const { record, repository, state } = this.current;
    const [ref, before, name] = [toLabel(record.ref, 40), toLabel(record.before, 40), shownName(repository)];
    this.item ??= this.make();
    this.item.text =
      state === 'onBranch'
        ? `$(git-branch) ${toPickLabel(vscode.l10n.t('On {0} · Back to {1}', ref, before))}`
        : `$(archive) ${toPickLabel(vscode.l10n.t('Stashed changes · Back to {0}', before))}`;
    this.item.tooltip =
      record.message !== undefined
        ? vscode.l10n.t(
            'Switches {0} back to {1} and restores the changes that were stashed for {2}.',
            name,
            before,
            ref,
          )
        : vscode.l10n.t('Switches {0} back to {1}.', name, before);
    this.item.show();
  }

  private make(): vscode.StatusBarItem {
    const item = vscode.window.createStatusBarItem('docsAgent.jobBranch', vscode.StatusBarAlignment.Left);
    item.name = vscode.l10n.t('Branch of a documentation job');
    item.command = COMMANDS.leaveBranch;
    return item;
  }
}

async function stateOf(repository: GitRepository, record: CheckoutRecord): Promise<CheckoutState> {
  const { place: stash } = await locateStash(repository, record);
  return checkoutState(record, { head: getHead(repository), stash });
}

async function fingerprint(repository: GitRepository): Promise<string> {
  const commit = repository.state.HEAD?.commit ?? '';
  return [getHead(repository), commit, await stashStamp(repository.rootUri.fsPath)].join('\n');
}
