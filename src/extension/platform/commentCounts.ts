import * as vscode from 'vscode';

/** The number of unsent comments on each job's changes, by job key. */
export class CommentCounts implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string>();
  /** Fires with the job key. */
  readonly onDidChange = this.changed.event;
  private readonly counts = new Map<string, number>();

  dispose(): void {
    this.changed.dispose();
  }

  get(jobKey: string): number {
    return this.counts.get(jobKey) ?? 0;
  }

  get hasAny(): boolean {
    return [...this.counts.values()].some((count) => count > 0);
  }

  set(jobKey: string, count: number): void {
    if (count !== this.get(jobKey)) {
      this.counts.set(jobKey, count);
      this.changed.fire(jobKey);
    }
  }
}
