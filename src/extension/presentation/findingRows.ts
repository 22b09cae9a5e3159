import * as vscode from 'vscode';

/** A row of the list about something that a check of the documentation has found. */
export interface FindingRow {
  id: number;
  /** Called when the editor shows the row. */
  item: () => vscode.TreeItem;
}

/** What a workspace keeps of the findings. */
export const FINDINGS_KEY = 'findings';

/** The commands of such a row and of their group, as `when` clauses name them. */
export const FINDING_ACTIONS = {
  row: ['fixFindings', 'showFindingCommit', 'ignoreFinding', 'dismissFindings'],
  group: ['checkDocumentation', 'fixAllFindings', 'dismissFindings'],
} as const;

/** What the last check has found, as rows of the list. The check sets them once it has run; the list shows them. */
export class FindingRows implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private shown: readonly FindingRow[] = [];

  get all(): readonly FindingRow[] {
    return this.shown;
  }

  set(rows: readonly FindingRow[]): void {
    this.shown = rows;
    this.changed.fire();
  }

  dispose(): void {
    this.changed.dispose();
  }
}
