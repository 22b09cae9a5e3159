import * as vscode from 'vscode';
import type { GitCommit, GitRepository } from '../../../platform/gitExtension';
import { firstLine, toNotice, toPickLabel } from '../../../platform/sanitize';
import type { WantedChange } from './changeSource';

/** More commits are read when fewer rows than this are left below the cursor or match the filter. */
const NEAR_END = 10;

interface Row extends vscode.QuickPickItem {
  commit: GitCommit;
}

/**
 * Asks for a commit, or for the first and the last commit of a range. Reads more commits while the user scrolls or
 * types.
 *
 * @param path of a file: only commits that changed it
 */
export function pickCommits(repository: GitRepository, path?: string): Promise<WantedChange | undefined> {
  const picker = vscode.window.createQuickPick<Row>();
  picker.title =
    path === undefined ? vscode.l10n.t('Select a commit') : vscode.l10n.t('Select a commit that changed this file');
  picker.placeholder = vscode.l10n.t('Select one commit, or the first and last commit of a range');
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  const pages = new CommitPages(repository, path);
  const list = new CommitList(pages, picker);
  picker.onDidChangeActive(([row]) => list.near(row));
  picker.onDidChangeValue((value) => list.search(value));
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      // Without a check mark, the active row counts.
      const chosen = picker.selectedItems.length > 0 ? picker.selectedItems : picker.activeItems;
      resolve(rangeOf(picker.items, chosen));
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      pages.close();
      picker.dispose();
    });
    picker.show();
    void list.more();
  });
}

/** Fills the list with the commits of a log. */
class CommitList {
  constructor(
    private readonly pages: CommitPages,
    private readonly picker: vscode.QuickPick<Row>,
  ) {}

  near(row: Row | undefined): void {
    if (row !== undefined && this.picker.items.indexOf(row) >= this.picker.items.length - NEAR_END) {
      void this.more();
    }
  }

  search(value: string): void {
    const words = value.toLowerCase();
    const fit = this.picker.items.filter(({ label, description }) =>
      `${label} ${description ?? ''}`.toLowerCase().includes(words),
    );
    if (value !== '' && fit.length < NEAR_END) {
      void this.more().then((hasMore) => {
        if (hasMore && this.picker.value === value) {
          this.search(value);
        }
      });
    }
  }

  /** Returns true when more commits were added. */
  async more(): Promise<boolean> {
    const { picker, pages } = this;
    picker.busy = true;
    const hasMore = await pages.more();
    if (pages.end === 'closed') {
      return false;
    }
    picker.busy = false;
    if (hasMore) {
      const { activeItems, selectedItems } = picker;
      picker.keepScrollPosition = true;
      picker.items = [...picker.items, ...pages.all.slice(picker.items.length).map(rowOf)];
      picker.selectedItems = selectedItems;
      picker.activeItems = activeItems;
    }
    this.tellEnd();
    return hasMore;
  }

  private tellEnd(): void {
    const { end } = this.pages;
    if (end === 'too many') {
      this.picker.placeholder = vscode.l10n.t('Only the newest {0} commits are listed', MAX_COMMITS);
    } else if (typeof end === 'object') {
      const why = toNotice(end.failed instanceof Error ? end.failed.message : String(end.failed), 300);
      this.picker.placeholder = vscode.l10n.t('Couldn’t read more of the commit history: {0}', why);
    }
  }
}

function rowOf(commit: GitCommit): Row {
  const day = commit.authorDate?.toLocaleDateString(vscode.env.language) ?? '';
  return {
    label: toPickLabel(firstLine(commit.message)),
    description: toPickLabel([commit.hash.slice(0, 8), commit.authorName, day].filter(Boolean).join(' · ')),
    commit,
  };
}

/** The rows are ordered from newest to oldest. */
function rangeOf(all: readonly Row[], chosen: readonly Row[]): WantedChange | undefined {
  const commits = all.filter((row) => chosen.includes(row)).map(({ commit }) => commit.hash);
  const [ref, first] = [commits[0], commits.at(-1)];
  return ref === undefined ? undefined : { kind: 'commit', ref, ...(first === ref ? {} : { first }) };
}

/** Number of commits read at once, and in total. */
const PAGE = 100;
export const MAX_COMMITS = 5_000;

/** The log of a repository, page by page, newest first. */
export class CommitPages {
  readonly all: GitCommit[] = [];
  /** Why reading has stopped. */
  end: 'all read' | 'too many' | 'closed' | { failed: unknown } | undefined;
  private reading: Promise<boolean> | undefined;

  /** @param path of a file: only commits that changed it */
  constructor(
    private readonly repository: Pick<GitRepository, 'log' | 'state'>,
    private readonly path?: string,
  ) {}

  /**
   * Reads one more page, unless a read is under way. Returns true when there are more commits afterwards. Never
   * rejects.
   */
  async more(): Promise<boolean> {
    if (this.reading !== undefined || this.end !== undefined) {
      return false;
    }
    this.reading = this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** Stops reading, because the list is no longer shown. */
  close(): void {
    this.end ??= 'closed';
  }

  private async read(): Promise<boolean> {
    const { repository, path } = this;
    try {
      const skip = this.all.length;
      const commits = await repository.log({ maxEntries: PAGE, skip, ...(path === undefined ? {} : { path }) });
      const known = new Set(this.all.map(({ hash }) => hash));
      const fresh = commits.filter(({ hash }) => !known.has(hash));
      this.all.push(...fresh);
      if (fresh.length === 0 || commits.length < PAGE) {
        this.end ??= 'all read';
      } else if (this.all.length >= MAX_COMMITS) {
        this.end ??= 'too many';
      }
      return fresh.length > 0 && this.end !== 'closed';
    } catch (failed) {
      // A repository without commits has no log.
      this.end ??= repository.state.HEAD?.commit === undefined ? 'all read' : { failed };
      return false;
    }
  }
}
