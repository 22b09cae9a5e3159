import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { type Send, type TrackedJob, isListed, pendingCreate, pendingSends } from '../../jobs/trackedJob';
import { JOB_GROUPS, type JobGroup, groupOf } from './jobGroups';
import { jobItem, jobTooltip, sendItem, sendTooltip } from './jobItem';

const { t } = vscode.l10n;

/** A row. Commands that are run on one read `jobKey` and `sendId` from it. */
export type JobNode =
  | { kind: 'group'; group: JobGroup }
  | { kind: 'job'; jobKey: string; sendId?: string | undefined }
  | { kind: 'send'; jobKey: string; sendId: string };

/** The jobs in groups by state, newest first. A change redraws the row that it is about, and no other. */
export class JobsTree implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<JobNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  /** One node object a row for as long as it lives: the view knows its rows by identity. */
  private readonly nodes = new Map<string, Extract<JobNode, { kind: 'job' }>>();
  private readonly drawnIn = new Map<string, JobGroup>();
  private readonly groups = new Map(JOB_GROUPS.map((group) => [group, { kind: 'group' as const, group }]));
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly store: JobStore,
    private readonly poller: Poller,
  ) {
    this.subscriptions = [
      store.onDidChange(({ job }) => this.redraw(job)),
      poller.onDidChangeHealth((key) => {
        const job = store.get(key);
        if (job !== undefined) {
          this.redraw(job);
        }
      }),
    ];
  }

  /** Draws all anew: the records were read, or times have grown old while the view was hidden. */
  refresh(): void {
    this.changed.fire(undefined);
  }

  getChildren(node?: JobNode): JobNode[] {
    if (node === undefined) {
      const inUse = new Set(this.listed().map(groupOf));
      return JOB_GROUPS.filter((group) => inUse.has(group)).map((group) => this.groups.get(group) as JobNode);
    }
    if (node.kind === 'group') {
      return this.jobsIn(node.group);
    }
    const job = node.kind === 'job' ? this.store.get(node.jobKey) : undefined;
    return job === undefined
      ? []
      : pendingSends(job).map((send) => ({ kind: 'send', jobKey: job.key, sendId: send.id }));
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    if (node.kind === 'group') {
      return groupItem(node.group, this.jobsIn(node.group).length);
    }
    const job = this.store.get(node.jobKey);
    if (job === undefined) {
      return new vscode.TreeItem('');
    }
    const send = node.kind === 'send' ? findSend(job, node.sendId) : undefined;
    return send === undefined ? jobItem(job, this.poller.health(job.key), Date.now()) : sendItem(job, send);
  }

  resolveTreeItem(item: vscode.TreeItem, node: JobNode): vscode.TreeItem {
    const job = node.kind === 'group' ? undefined : this.store.get(node.jobKey);
    if (job !== undefined) {
      const send = node.kind === 'send' ? findSend(job, node.sendId) : undefined;
      item.tooltip = send === undefined ? jobTooltip(job, this.poller.health(job.key), Date.now()) : sendTooltip(send);
    }
    return item;
  }

  private nodeOf(job: TrackedJob): JobNode {
    let node = this.nodes.get(job.key);
    if (node === undefined) {
      node = { kind: 'job', jobKey: job.key };
      this.nodes.set(job.key, node);
    }
    node.sendId = pendingCreate(job)?.id;
    return node;
  }

  dispose(): void {
    this.changed.dispose();
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private redraw(job: TrackedJob): void {
    const group = isListed(job) ? groupOf(job) : undefined;
    const stays = group !== undefined && this.drawnIn.get(job.key) === group;
    if (group === undefined) {
      // Should it come back, it has to be drawn as a new row.
      this.drawnIn.delete(job.key);
    }
    this.changed.fire(stays ? this.nodeOf(job) : undefined);
  }

  private jobsIn(group: JobGroup): JobNode[] {
    const jobs = this.listed().filter((job) => groupOf(job) === group);
    for (const job of jobs) {
      this.drawnIn.set(job.key, group);
    }
    return jobs.toSorted((a, b) => b.createdAt - a.createdAt).map((job) => this.nodeOf(job));
  }

  private listed(): TrackedJob[] {
    return this.store.jobs.filter(isListed);
  }
}

function findSend(job: TrackedJob, id: string): Send | undefined {
  return job.sends.find((send) => send.id === id);
}

function groupItem(group: JobGroup, count: number): vscode.TreeItem {
  const label = {
    attention: t('Needs attention'),
    running: t('In progress'),
    ready: t('Ready for review'),
    finished: t('Finished'),
    failed: t('Failed'),
  }[group];
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group:${group}`;
  item.description = String(count);
  item.contextValue = ';group;';
  item.accessibilityInformation = { label: t('{0}, jobs: {1}', label, count) };
  return item;
}
