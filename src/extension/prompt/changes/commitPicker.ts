import * as vscode from 'vscode';
import type { GitCommit, GitRepository } from '../../services/gitExtension';
import { firstLine, toPickLabel } from '../../text';
import type { WantedChange } from './changeSource';

const { t } = vscode.l10n;

/** So many commits are read at once, and at most. */
const PAGE = 100;
const MOST = 5_000;
/** When fewer rows than this are left below the cursor, or fit what was typed, more are read. */
const NEAR_END = 10;

interface Row extends vscode.QuickPickItem {
  commit: GitCommit;
}

/**
 * Asks for a commit, or the first and the last one of a range; more are read while the user goes down or types.
 *
 * @param path of a file: only commits that changed it
 */
export function pickCommits(repository: GitRepository, path?: string): Promise<WantedChange | undefined> {
  const picker = vscode.window.createQuickPick<Row>();
  picker.title = path === undefined ? t('Which commit?') : t('Which commit of this file?');
  picker.placeholder = t('Check one commit, or the first and the last one of a range');
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  const pages = new Pages(repository, path, picker);
  picker.onDidChangeActive(([row]) => pages.near(row));
  picker.onDidChangeValue((value) => pages.search(value));
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      // Without a check mark it is the row with the cursor.
      const chosen = picker.selectedItems.length > 0 ? picker.selectedItems : picker.activeItems;
      resolve(rangeOf(picker.items, chosen));
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    void pages.more();
  });
}

/** The log, page by page. */
class Pages {
  private reading = false;
  private ended = false;

  constructor(
    private readonly repository: GitRepository,
    private readonly path: string | undefined,
    private readonly picker: vscode.QuickPick<Row>,
  ) {}

  near(row: Row | undefined): void {
    if (row !== undefined && this.picker.items.indexOf(row) >= this.picker.items.length - NEAR_END) {
      void this.more();
    }
  }

  search(value: string): void {
    const words = value.toLowerCase();
    const fit = this.picker.items.filter(({ label }) => label.toLowerCase().includes(words));
    if (value !== '' && fit.length < NEAR_END) {
      void this.more().then(() => {
        if (!this.ended && this.picker.value === value) {
          this.search(value);
        }
      });
    }
  }

  async more(): Promise<void> {
    const { picker, path } = this;
    if (this.reading || this.ended) {
      return;
    }
    this.reading = true;
    picker.busy = true;
    try {
      const skip = picker.items.length;
      const options = { maxEntries: PAGE, skip, ...(path === undefined ? {} : { path }) };
      const commits = await this.repository.log(options);
      const known = new Set(picker.items.map(({ commit }) => commit.hash));
      const fresh = commits.filter(({ hash }) => !known.has(hash));
      this.ended = fresh.length === 0 || commits.length < PAGE || skip + fresh.length >= MOST;
      const { activeItems, selectedItems } = picker;
      picker.keepScrollPosition = true;
      picker.items = [...picker.items, ...fresh.map(rowOf)];
      picker.selectedItems = selectedItems;
      picker.activeItems = activeItems;
    } catch {
      // A repository without a commit has no log.
      this.ended = true;
    } finally {
      this.reading = false;
      picker.busy = false;
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

/** The rows stand from the newest to the oldest. */
function rangeOf(all: readonly Row[], chosen: readonly Row[]): WantedChange | undefined {
  const commits = all.filter((row) => chosen.includes(row)).map(({ commit }) => commit.hash);
  const [ref, first] = [commits[0], commits.at(-1)];
  return ref === undefined ? undefined : { kind: 'commit', ref, ...(first === ref ? {} : { first }) };
}
