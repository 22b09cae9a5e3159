import * as vscode from 'vscode';
import { once } from '../../../base/async';
import type { JobStore } from '../../../jobs/jobStore';
import { type OutgoingPrompt, pendingCreate, pendingSends, type TrackedJob } from '../../../jobs/trackedJob';
import type { WindowProjects } from '../../platform/windowProjects';
import type { JobDescriber, JobSummary } from '../../presentation/describeJob';
import { makeAgeFormats } from '../../presentation/jobText';
import { ArrangedList, type Redraw } from './arrangedList';
import { jobItem, jobTooltip, sendItem, sendTooltip } from './jobItem';
import type { ListOptions } from './jobList';
import { moreItem, sectionItem } from './sectionItem';
import { DrawnRows } from './treeRefresh';

/** A row. Commands that run on a row read `jobKey` and `sendId` from it. */
export type JobNode =
  | { kind: 'section'; id: string }
  | { kind: 'job'; jobKey: string; sendId?: string | undefined }
  | { kind: 'send'; jobKey: string; sendId: string }
  /** Shows more of its section. */
  | { kind: 'more'; section: string };

/** The user's choices for the list, as the tree needs them. */
export interface ListState {
  readonly options: ListOptions;
  /** Fires when the options have changed. */
  readonly onDidChange: vscode.Event<void>;
  isCollapsed(nodeId: string): boolean;
}

/** The number of jobs per section that are shown at first, and added each time the user asks for more. */
const PAGE = 200;

/** The jobs in sections. A change refreshes only the row that it affects. */
export class JobsTree implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<JobNode | JobNode[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  /** One stable node object per row, because the view identifies rows by object identity. */
  private readonly nodes = new Map<string, JobNode>();
  private readonly pages = new Map<string, number>();
  private readonly drawn = new DrawnRows<JobNode>();
  private readonly list: ArrangedList;
  private readonly ages = once(makeAgeFormats);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly store: JobStore,
    private readonly describer: Pick<JobDescriber, 'describe' | 'contextOf' | 'summarize' | 'onDidChange'>,
    private readonly state: ListState,
    projects: Pick<WindowProjects, 'has' | 'onDidChange'>,
  ) {
    const isOwn = ({ home }: TrackedJob): boolean => projects.has(home);
    const summarize = (job: TrackedJob): JobSummary => describer.summarize(job);
    this.list = new ArrangedList({ jobs: () => store.jobs, options: () => state.options, summarize, isOwn });
    const redrawJob = (key: string): void => {
      const job = store.get(key);
      if (job !== undefined) {
        this.redraw(this.list.change(job), job);
      }
    };
    this.subscriptions = [
      store.onDidChange(({ job }) => this.redraw(this.list.change(job), job)),
      describer.onDidChange((key) => (key === undefined ? this.refresh() : redrawJob(key))),
      state.onDidChange(() => this.redraw(this.list.rearrange())),
      projects.onDidChange(() => this.redraw(this.list.rearrange())),
    ];
  }

  dispose(): void {
    this.changed.dispose();
    this.subscriptions.forEach((each) => void each.dispose());
  }

  /**
   * Refreshes only what looks different, after records were read or ages have changed. Refreshing everything would lose
   * menu commands: until the editor has fetched all rows again, it does not pass the row to them.
   */
  refresh(): void {
    const what = this.list.rearrange();
    if (typeof what === 'string') {
      this.redraw(what);
      return;
    }
    const outdated = what.flatMap((id) =>
      this.drawn.outdated(this.sectionNode(id), this.rowsOf(id), (node) => this.itemOf(node)),
    );
    if (outdated.length > 0) {
      this.changed.fire(outdated);
    }
  }

  /** Shows one more page of a section. */
  showMore(section: string): void {
    this.pages.set(section, (this.pages.get(section) ?? 1) + 1);
    this.changed.fire(this.sectionNode(section));
  }

  /** Expands the job's section up to its row. Returns false if the filtered list does not contain the job. */
  ensureVisible(key: string): boolean {
    const [id, index] = this.indexOf(key);
    if (id === undefined || index === -1) {
      return false;
    }
    if (index >= this.limit(id)) {
      this.pages.set(id, Math.ceil((index + 1) / PAGE));
      this.changed.fire(this.sectionNode(id));
    }
    return true;
  }

  /** The row of a job; undefined if it has none now. */
  nodeOf(key: string): JobNode | undefined {
    const job = this.store.get(key);
    return job === undefined || this.parentOf(job) === undefined ? undefined : this.jobNode(job);
  }

  /** The number of jobs in the list, on all pages. */
  get count(): number {
    return this.list.size;
  }

  getChildren(node?: JobNode): JobNode[] {
    if (node === undefined) {
      return this.list.show().map((id) => this.sectionNode(id));
    }
    switch (node.kind) {
      case 'section':
        return this.drawn.children(node, this.rowsOf(node.id));
      case 'job': {
        const job = this.store.get(node.jobKey);
        const sends = job === undefined ? [] : pendingSends(job);
        return sends.map(({ id }) => ({ kind: 'send', jobKey: node.jobKey, sendId: id }));
      }
      case 'send':
      case 'more':
        return [];
    }
  }

  getParent(node: JobNode): JobNode | undefined {
    if (node.kind === 'section') {
      return undefined;
    }
    if (node.kind === 'more') {
      return this.sectionNode(node.section);
    }
    const job = this.store.get(node.jobKey);
    return job && (node.kind === 'send' ? this.jobNode(job) : this.parentOf(job));
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    return this.drawn.item(node, this.itemOf(node));
  }

  private itemOf(node: JobNode): vscode.TreeItem {
    if (node.kind === 'section' || node.kind === 'more') {
      const name = node.kind === 'section' ? node.id : node.section;
      const section = this.list.sections.find(({ id }) => id === name);
      if (section === undefined) {
        return new vscode.TreeItem('');
      }
      return node.kind === 'section'
        ? sectionItem(section, this.state.isCollapsed(`section:${name}`), Date.now())
        : moreItem(section, this.hidden(name), Date.now());
    }
    const job = this.store.get(node.jobKey);
    if (job === undefined) {
      return new vscode.TreeItem('');
    }
    const send = node.kind === 'send' ? findSend(job, node.sendId) : undefined;
    return send === undefined ? this.rowOf(job) : sendItem(job, send, this.describer.contextOf(job).health);
  }

  resolveTreeItem(item: vscode.TreeItem, node: JobNode): vscode.TreeItem {
    const job = 'jobKey' in node ? this.store.get(node.jobKey) : undefined;
    if (job !== undefined) {
      const send = node.kind === 'send' ? findSend(job, node.sendId) : undefined;
      const view = this.describer.describe(job);
      item.tooltip =
        send === undefined ? jobTooltip(view) : sendTooltip(job, send, this.describer.contextOf(job).health);
    }
    return item;
  }

  private rowOf(job: TrackedJob): vscode.TreeItem {
    const item = jobItem(this.describer.describe(job), {
      now: Date.now(),
      stateIsSaid: this.state.options.groupBy === 'state' && !job.pinned && !job.untracked,
      showsProject: this.list.showsProject(job.key),
      comments: this.describer.contextOf(job).comments ?? 0,
      ages: this.ages,
    });
    if (item.collapsibleState !== vscode.TreeItemCollapsibleState.None && this.state.isCollapsed(`job:${job.key}`)) {
      item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
    }
    return item;
  }

  private rowsOf(section: string): JobNode[] {
    const all = this.list.sections.find(({ id }) => id === section)?.jobs ?? [];
    // The arrangement may hold older versions of the jobs; the store has the current ones.
    const rows = all.slice(0, this.limit(section)).map((job) => this.jobNode(this.store.get(job.key) ?? job));
    return all.length > rows.length ? [...rows, this.node(`more:${section}`, { kind: 'more', section })] : rows;
  }

  private limit(section: string): number {
    return (this.pages.get(section) ?? 1) * PAGE;
  }

  /** The number of jobs in the section without a row yet. */
  private hidden(section: string): number {
    const all = this.list.sections.find(({ id }) => id === section)?.jobs.length ?? 0;
    return Math.max(0, all - this.limit(section));
  }

  /** The section of a job, if its row is shown. */
  private parentOf(job: TrackedJob): JobNode | undefined {
    const [id, index] = this.indexOf(job.key);
    return id === undefined || index === -1 || index >= this.limit(id) ? undefined : this.sectionNode(id);
  }

  /** The section of a job, and the job's index in it. */
  private indexOf(key: string): [section: string | undefined, index: number] {
    const { sections } = this.list;
    const id = this.list.placeOf(key)?.id;
    return [id, sections.find((section) => section.id === id)?.jobs.findIndex((job) => job.key === key) ?? -1];
  }

  private sectionNode(id: string): JobNode {
    return this.node(`section:${id}`, { kind: 'section', id });
  }

  private jobNode(job: TrackedJob): JobNode {
    const node = this.node(`job:${job.key}`, { kind: 'job', jobKey: job.key });
    if (node.kind === 'job') {
      node.sendId = pendingCreate(job)?.id;
    }
    return node;
  }

  private node(id: string, made: JobNode): JobNode {
    const known = this.nodes.get(id);
    if (known === undefined) {
      this.nodes.set(id, made);
    }
    return known ?? made;
  }

  private redraw(what: Redraw, job?: TrackedJob): void {
    if (what === 'all') {
      this.changed.fire(undefined);
    } else if (what === 'row') {
      this.changed.fire(job && this.jobNode(job));
    } else if (what !== 'nothing') {
      // In a single event, so that the editor fetches all of them together.
      this.changed.fire(what.map((id) => this.sectionNode(id)));
    }
  }
}

function findSend(job: TrackedJob, id: string): OutgoingPrompt | undefined {
  return job.sends.find((send) => send.id === id);
}
