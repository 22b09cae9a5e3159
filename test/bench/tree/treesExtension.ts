import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/async';
import { type ListOptions, WHOLE_LIST } from '../../../src/extension/features/jobs-view/jobList';
import { JobsTree } from '../../../src/extension/features/jobs-view/jobsTree';
import { CommentCounts } from '../../../src/extension/platform/commentCounts';
import type { JobEvent, Snapshot } from '../../../src/jobs/events';
import { JobStore } from '../../../src/jobs/jobStore';
import { MemoryRecords } from '../../support/memoryRecords';
import { ROWS, type TreeName, TREES } from './treeNames';

/**
 * A tree and the acts that are measured on it. The command returns the wall-clock time at which an act began, in
 * milliseconds.
 */
interface Tree {
  provider: vscode.TreeDataProvider<unknown>;
  /** Renames the first row. */
  rename(name: string): void;
  /** Shows only the rows whose label contains this text. */
  filter(text: string): void;
}

/** Registers one view per tree, each in its own container, and the command that acts on one of them. */
export async function activate(): Promise<void> {
  const trees: Record<TreeName, Tree> = { ours: await ours(), plain: bare(false), dressed: bare(true) };
  for (const name of TREES) {
    vscode.window.createTreeView(`bench.${name}`, { treeDataProvider: trees[name].provider });
  }
  const now = (): number => performance.timeOrigin + performance.now();
  vscode.commands.registerCommand(
    'bench.act',
    async ({ tree, act, text }: { tree: TreeName; act: 'open' | 'rename' | 'filter'; text: string }) => {
      const start = now();
      if (act === 'open') {
        await vscode.commands.executeCommand(`workbench.view.extension.bench-${tree}`);
      } else {
        trees[tree][act](text);
      }
      return start;
    },
  );
}

async function ours(): Promise<Tree> {
  const records = new MemoryRecords();
  for (let index = 0; index < ROWS; index += 1) {
    records.folders.set(
      `job${index}`,
      finishedJob(index).map((event, place) => ({ stamp: `00000000${place}-a`, event })),
    );
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const store = new JobStore({ files: records, clock: systemClock, newId: () => 'b', log });
  await store.load();
  const changed = new vscode.EventEmitter<void>();
  let options: ListOptions = WHOLE_LIST;
  const state = {
    get options() {
      return options;
    },
    onDidChange: changed.event,
    isCollapsed: () => false,
  };
  const poller = { health: () => undefined, onDidChangeHealth: () => ({ dispose: () => undefined }) };
  const pulls = { of: () => undefined, details: () => undefined, onDidChange: () => ({ dispose: () => undefined }) };
  const previews = { isOffered: () => false, onDidChange: () => ({ dispose: () => undefined }) };
  const projects = { has: () => true, onDidChange: () => ({ dispose: () => undefined }) };
  const provider = new JobsTree(store, poller, state, new CommentCounts(), pulls, projects, previews, {
    hasNew: () => false,
    onDidChange: () => ({ dispose: () => undefined }),
  }) as vscode.TreeDataProvider<unknown>;
  return {
    provider,
    rename: (title) => void store.append(`job${ROWS - 1}`, { type: 'renamed', at: Date.now(), title }),
    filter: (text) => {
      options = { ...WHOLE_LIST, text };
      changed.fire();
    },
  };
}

function finishedJob(index: number): JobEvent[] {
  const at = Date.UTC(2026, 0, 1) + index * 60_000;
  const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const unknown = { ref: null, repository: null, model: null, createdAt: null, error: null };
  const snapshot = (status: string, prLink: string | null): Snapshot => ({
    id: `j${index}`,
    status,
    prLink,
    ...unknown,
  });
  const send = `s${index}`;
  return [
    { type: 'send', at, send, kind: 'create', prompt: titleOf(index), home },
    { type: 'created', at: at + 1000, send, job: snapshot('active', null), home },
    {
      type: 'changed',
      at: at + 2000,
      run: send,
      job: snapshot('completed', `https://forge.example/${index}`),
      end: true,
    },
    { type: 'seen', at: at + 3000 },
  ];
}

function titleOf(index: number): string {
  return `Document part ${index} of the handbook`;
}

/**
 * A tree with as many rows. `dressed` rows have everything that the product's rows have, others only an ID and a label.
 */
function bare(dressed: boolean): Tree {
  const rows = Array.from({ length: ROWS }, (_, index) => ({ id: `row${index}`, label: titleOf(ROWS - 1 - index) }));
  let shown = rows;
  const changed = new vscode.EventEmitter<unknown>();
  const provider: vscode.TreeDataProvider<(typeof rows)[number]> = {
    onDidChangeTreeData: changed.event as vscode.Event<undefined>,
    getChildren: (row) => (row === undefined ? shown : []),
    getTreeItem: (row) => {
      const item = new vscode.TreeItem(row.label);
      item.id = row.id;
      if (dressed) {
        item.description = '11 months ago · docs-project';
        item.iconPath = new vscode.ThemeIcon('git-pull-request');
        item.contextValue = ';job;completed;known;link;loose;';
        item.resourceUri = vscode.Uri.from({ scheme: 'bench-row', path: `/${row.id}` });
        item.accessibilityInformation = { label: `${row.label}, pull request ready, 11 months ago, docs-project` };
      }
      return item;
    },
  };
  return {
    provider: provider,
    rename: (label) => {
      const [first] = rows;
      if (first !== undefined) {
        first.label = label;
        changed.fire(first);
      }
    },
    filter: (text) => {
      shown = rows.filter(({ label }) => label.includes(text));
      changed.fire(undefined);
    },
  };
}
