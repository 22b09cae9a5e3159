import * as vscode from 'vscode';
import { once } from '../../../base/async';
import type { JobStore } from '../../../jobs/jobStore';
import {
  isListed,
  type OutgoingPrompt,
  pendingCreate,
  pendingPrompts,
  type TrackedJob,
} from '../../../jobs/trackedJob';
import type { WindowProjects } from '../../platform/windowProjects';
import type { JobDescriber } from '../../presentation/describeJob';
import type { FindingRows } from '../../presentation/findingRows';
import { makeAgeFormat } from '../../presentation/jobText';
import { findingsItem, jobItem, jobTooltip, sectionItem, sendItem, sendTooltip } from './jobItem';
import { arrange, type Arrangement, isFiltered, type ListOptions, type Section } from './jobList';

/** A row. Commands that run on a row read `jobKey` and `promptId`, or the numbers of `findings`, from it. */
export type JobNode =
  | { kind: 'section'; id: string; findings?: readonly number[] }
  | { kind: 'finding'; findings: readonly [number] }
  | { kind: 'job'; jobKey: string; promptId?: string | undefined }
  | { kind: 'send'; jobKey: string; promptId: string };

/** The user's choices for the list, as the tree needs them. */
export interface ListState {
  readonly options: ListOptions;
  /** Fires when the options have changed. */
  readonly onDidChange: vscode.Event<void>;
  isCollapsed(nodeId: string): boolean;
}

/**
 * The jobs in sections. A change refreshes only the rows that it affects: until the editor has fetched all rows again,
 * it does not pass them to the commands of an open menu.
 */
export class JobsTree implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<JobNode | JobNode[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  /** One stable node object per row, because the view identifies rows by object identity. */
  private readonly nodes = new Map<string, JobNode>();
  /** How each row looked when the editor fetched it. */
  private readonly looks = new WeakMap<JobNode, string>();
  private arranged: Arrangement;
  private showsFindings = false;
  /** The jobs that have changed since the last refresh. */
  private readonly due = new Set<string>();
  private refreshing: NodeJS.Immediate | undefined;
  private readonly ages = once(makeAgeFormat);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly store: JobStore,
    private readonly describer: Pick<JobDescriber, 'describe' | 'contextOf' | 'summarize' | 'onDidChange'>,
    private readonly state: ListState,
    private readonly projects: Pick<WindowProjects, 'has' | 'onDidChange'>,
    private readonly findings: Pick<FindingRows, 'all' | 'onDidChange'>,
  ) {
    this.arranged = this.arrange();
    this.subscriptions = [
      store.onDidChange(({ job }) => this.refreshSoon(job.key)),
      describer.onDidChange((key) => (key === undefined ? this.refresh() : this.refreshSoon(key))),
      state.onDidChange(() => this.refresh()),
      projects.onDidChange(() => this.refresh()),
      findings.onDidChange(() => this.redrawFindings()),
    ];
  }

  dispose(): void {
    clearImmediate(this.refreshing);
    this.changed.dispose();
    this.subscriptions.forEach((each) => void each.dispose());
  }

  /** Refreshes every row that looks different, after the options, the ages or anything else may have changed. */
  refresh(): void {
    this.redraw((node) => this.looks.has(node) && this.looks.get(node) !== lookOf(this.itemOf(node)));
  }

  /** True if the list contains the job. */
  has(key: string): boolean {
    this.redraw();
    return this.arranged.sectionOf.has(key);
  }

  /** True if its row is in the section of other projects. */
  isPutAside(key: string): boolean {
    this.redraw();
    return this.arranged.sectionOf.get(key) === 'others';
  }

  /** The row of a job; undefined if it has none now. */
  nodeOf(key: string): JobNode | undefined {
    return this.has(key) ? this.jobNode(key) : undefined;
  }

  /** The number of jobs in the list. */
  get count(): number {
    this.redraw();
    return this.arranged.sectionOf.size;
  }

  getChildren(node?: JobNode): JobNode[] {
    if (node === undefined) {
      const sections = this.arranged.sections.map((section) => this.sectionNode(section));
      return this.showsFindings ? [this.findingsNode(), ...sections] : sections;
    }
    if (node.kind === 'finding') {
      return [];
    }
    if (node.kind === 'section') {
      const { findings, id: section } = node;
      return (
        findings?.map((id) => this.node(`finding:${id}`, { kind: 'finding', findings: [id] })) ??
        (this.sectionOf(section)?.jobs ?? []).map(({ key }) => this.jobNode(key))
      );
    }
    const job = node.kind === 'job' ? this.store.get(node.jobKey) : undefined;
    return (job === undefined ? [] : pendingPrompts(job)).map(({ id }) => ({
      ...{ kind: 'send', jobKey: node.jobKey, promptId: id },
    }));
  }

  getParent(node: JobNode): JobNode | undefined {
    if (node.kind === 'section') {
      return undefined;
    }
    if (node.kind === 'finding') {
      return this.findingsNode();
    }
    const section = this.sectionOf(this.arranged.sectionOf.get(node.jobKey));
    return node.kind === 'send' ? this.jobNode(node.jobKey) : section && this.sectionNode(section);
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    const item = this.itemOf(node);
    this.looks.set(node, lookOf(item));
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: JobNode): vscode.TreeItem {
    const job = 'jobKey' in node ? this.store.get(node.jobKey) : undefined;
    if (job !== undefined) {
      const prompt = node.kind === 'send' ? findPromptOf(job, node.promptId) : undefined;
      item.tooltip =
        prompt === undefined
          ? jobTooltip(this.describer.describe(job))
          : sendTooltip(job, prompt, this.describer.contextOf(job).health);
    }
    return item;
  }

  private itemOf(node: JobNode): vscode.TreeItem {
    if (node.kind === 'finding') {
      return this.findings.all.find(({ id }) => id === node.findings[0])?.item() ?? new vscode.TreeItem('');
    }
    if (node.kind === 'section') {
      const section = this.sectionOf(node.id);
      const isCollapsed = this.state.isCollapsed(`section:${node.id}`);
      if (node.findings !== undefined) {
        return findingsItem(node.id, node.findings.length, isCollapsed);
      }
      return section === undefined ? new vscode.TreeItem('') : sectionItem(section, isCollapsed);
    }
    const job = this.store.get(node.jobKey);
    const prompt = node.kind === 'send' && job !== undefined ? findPromptOf(job, node.promptId) : undefined;
    if (job === undefined || prompt !== undefined) {
      return job && prompt ? sendItem(job, prompt, this.describer.contextOf(job).health) : new vscode.TreeItem('');
    }
    const by = this.sectionOf(this.arranged.sectionOf.get(job.key))?.heading.by;
    const item = jobItem(this.describer.describe(job), {
      now: Date.now(),
      stateIsSaid: by === 'state',
      showsProject: by === 'others' || this.arranged.hasSeveralProjects,
      comments: this.describer.contextOf(job).comments ?? 0,
      ages: this.ages,
    });
    if (item.collapsibleState !== vscode.TreeItemCollapsibleState.None && this.state.isCollapsed(`job:${job.key}`)) {
      item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
    }
    return item;
  }

  /** Many changes may come at once, such as all records at the start. */
  private refreshSoon(key: string): void {
    this.due.add(key);
    this.refreshing ??= setImmediate(() => {
      this.refreshing = undefined;
      this.redraw();
    });
  }

  /**
   * Sorts the jobs into sections again. Refreshes each section whose list of rows has changed, and each outdated row.
   *
   * @param looksOld whether a row is outdated; needed if rows of unchanged jobs can be
   */
  private redraw(looksOld?: (node: JobNode) => boolean): void {
    if (looksOld === undefined && this.due.size === 0) {
      return;
    }
    const due = new Set(this.due);
    this.due.clear();
    const isOutdated = (node: JobNode): boolean =>
      (node.kind === 'job' && due.has(node.jobKey)) || looksOld?.(node) === true;
    const before = this.arranged;
    this.arranged = this.arrange();
    const { sections, hasSeveralProjects } = this.arranged;
    if (
      this.toggleFindings() ||
      shapeOf(before.sections, 'id') !== shapeOf(sections, 'id') ||
      before.hasSeveralProjects !== hasSeveralProjects
    ) {
      this.changed.fire(undefined);
      return;
    }
    const outdated = sections.flatMap((section, index) => {
      const node = this.sectionNode(section);
      const isSame = shapeOf(before.sections[index]?.jobs ?? [], 'key') === shapeOf(section.jobs, 'key');
      return !isSame || isOutdated(node) ? [node] : section.jobs.map(({ key }) => this.jobNode(key)).filter(isOutdated);
    });
    if (outdated.length > 0) {
      // In a single event, so that the editor fetches all of them together.
      this.changed.fire(outdated);
    }
  }

  private redrawFindings(): void {
    if (this.toggleFindings()) {
      this.changed.fire(undefined);
    } else if (this.showsFindings) {
      this.changed.fire(this.findingsNode());
    }
  }

  /** Returns whether the list now has their section and had not, or the other way round. */
  private toggleFindings(): boolean {
    const { findings, state, showsFindings } = this;
    // Someone who looks for certain jobs wants to see only those.
    this.showsFindings = findings.all.length > 0 && !isFiltered(state.options) && !state.options.removed;
    return this.showsFindings !== showsFindings;
  }

  private arrange(): Arrangement {
    const jobs = this.store.jobs;
    const isOwn = ({ location }: TrackedJob): boolean => this.projects.has(location);
    const hasOwn = jobs.some((job) => isListed(job) && isOwn(job));
    return arrange(jobs, this.state.options, {
      summarize: (job) => this.describer.summarize(job),
      isOther: (job) => hasOwn && !isOwn(job),
    });
  }

  private sectionOf(id: string | undefined): Section | undefined {
    return this.arranged.sections.find((section) => section.id === id);
  }

  private sectionNode({ id }: Section): JobNode {
    return this.node(`section:${id}`, { kind: 'section', id });
  }

  private findingsNode(): JobNode {
    const node = this.node('section:findings', { kind: 'section', id: 'findings' });
    return Object.assign(node, { findings: this.findings.all.map(({ id }) => id) });
  }

  private jobNode(key: string): JobNode {
    const node = this.node(`job:${key}`, { kind: 'job', jobKey: key });
    const job = this.store.get(key);
    if (node.kind === 'job' && job !== undefined) {
      node.promptId = pendingCreate(job)?.id;
    }
    return node;
  }

  private node(id: string, made: JobNode): JobNode {
    const known = this.nodes.get(id) ?? made;
    this.nodes.set(id, known);
    return known;
  }
}

function findPromptOf(job: TrackedJob, id: string): OutgoingPrompt | undefined {
  return job.prompts.find((prompt) => prompt.id === id);
}

function shapeOf<Name extends string>(rows: readonly Readonly<Record<Name, string>>[], name: Name): string {
  return rows.map((row) => row[name]).join('\n');
}

/** Everything visible of a row, except whether it is collapsed, which the editor remembers itself. */
function lookOf(item: vscode.TreeItem): string {
  const canFold = item.collapsibleState !== vscode.TreeItemCollapsibleState.None;
  return JSON.stringify(Object.entries(item).filter(([name]) => name !== 'collapsibleState')) + String(canFold);
}
