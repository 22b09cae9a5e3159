import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { gitApi, type GitRepository, openRepositories } from '../../platform/gitExtension';
import { shownName } from '../../platform/jobRepository';
import { toLabel, toPickLabel } from '../../platform/sanitize';
import { WAY_BACK_KEY } from './restorePullRequests';

interface Note {
  /** The job's branch. */
  branch: string;
  /** What was checked out before: the full name of a branch, or a commit. */
  before: string;
}

/** Shows in the status bar that a job's branch is checked out, and where to go back to. */
export class WayBack implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('docsAgent.jobBranch', vscode.StatusBarAlignment.Left);
  /** By folder, because the Git extension returns a new object for a repository on every request. */
  private readonly watched = new Map<string, vscode.Disposable>();
  private opening: vscode.Disposable | undefined;

  constructor(
    private readonly memento: vscode.Memento,
    private readonly log: Logger,
  ) {
    this.item.name = vscode.l10n.t('Branch of a documentation job');
    this.item.command = 'docsAgent.leaveBranch';
  }

  dispose(): void {
    this.item.dispose();
    this.opening?.dispose();
    this.watched.forEach((each) => void each.dispose());
  }

  private get notes(): Readonly<Record<string, Note>> {
    return this.memento.get(WAY_BACK_KEY, {});
  }

  /** Notes what a job's branch took the place of. From one job's branch to the next, the way back stays the first one. */
  async note({ rootUri: { fsPath: root } }: GitRepository, branch: string, before: string): Promise<void> {
    const { [root]: last, ...others } = this.notes;
    const first = last !== undefined && before === `refs/heads/${last.branch}` ? last.before : before;
    const isBack = first === `refs/heads/${branch}`;
    await this.memento.update(WAY_BACK_KEY, isBack ? others : { ...others, [root]: { branch, before: first } });
    await this.refresh();
  }

  async forget({ rootUri: { fsPath: root } }: GitRepository): Promise<void> {
    const { [root]: _, ...others } = this.notes;
    await this.memento.update(WAY_BACK_KEY, others);
    await this.refresh();
  }

  /** What was checked out before the branch that is now; undefined if that isn't a job's. */
  before({ rootUri, state }: GitRepository): string | undefined {
    const note = this.notes[rootUri.fsPath];
    return note !== undefined && note.branch === state.HEAD?.name ? note.before : undefined;
  }

  /** Returns the repository that has a job's branch checked out, if one has, and shows where to go back to. */
  async refresh(): Promise<GitRepository | undefined> {
    const api = await gitApi();
    const repositories = await openRepositories(api);
    const update = (): void =>
      void this.refresh().catch((error: unknown) => this.log.warn('couldn’t read the current branches', error));
    this.opening ??= api?.onDidOpenRepository(({ rootUri: { fsPath: root } }) => {
      this.watched.get(root)?.dispose();
      this.watched.delete(root);
      update();
    });
    for (const { rootUri, state } of repositories) {
      if (this.notes[rootUri.fsPath] !== undefined && !this.watched.has(rootUri.fsPath)) {
        this.watched.set(rootUri.fsPath, state.onDidChange(update));
      }
    }
    const found = repositories.find((each) => this.before(each) !== undefined);
    const before = found && this.before(found);
    if (found === undefined || before === undefined) {
      this.item.hide();
      return undefined;
    }
    const [branch, place] = [toLabel(found.state.HEAD?.name ?? '', 40), toLabel(placeName(before), 40)];
    this.item.text = `$(git-branch) ${toPickLabel(vscode.l10n.t('On {0} · Back to {1}', branch, place))}`;
    this.item.tooltip = vscode.l10n.t('Switches {0} back to {1}.', shownName(found), place);
    this.item.show();
    return found;
  }
}

/** A branch name or an abbreviated commit id. */
export function placeName(place: string): string {
  return place.startsWith('refs/heads/') ? place.slice('refs/heads/'.length) : place.slice(0, 7);
}
