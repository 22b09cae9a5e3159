import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { UNSEEN_COLOR } from '../ids';

/** Rows of jobs bear an address of this scheme, by which the editor asks for their marks. */
const SCHEME = 'docs-agent-job';

export function rowUri(jobKey: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${jobKey}` });
}

/** A colour, and a dot where there is room, for each row whose end has not been looked at. */
export class UnseenMarks implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly store: JobStore) {
    this.subscriptions = [
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      store.onDidChange(({ job, before }) => {
        if (job.unseen !== (before?.unseen ?? false)) {
          this.changed.fire(rowUri(job.key));
        }
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const isUnseen = uri.scheme === SCHEME && this.store.get(uri.path.slice(1))?.unseen === true;
    const color = new vscode.ThemeColor(UNSEEN_COLOR);
    return isUnseen ? new vscode.FileDecoration('●', vscode.l10n.t('Not seen yet'), color) : undefined;
  }
}
