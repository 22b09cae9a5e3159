import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { DisposableStore } from '../../../shared/util/disposable';
import { readTarget } from './composerTarget';

const MINUTE_MS = 60_000;

/** Beats while a prompt can be seen: when a job or a prompt of the list changes, and with each minute. */
export class Pulse implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly beats = this.owned.add(new vscode.EventEmitter<void>());
  private timer: NodeJS.Timeout | undefined;
  readonly onDidBeat = this.beats.event;

  constructor(store: Pick<JobStore, 'onDidChange'>) {
    this.owned.add(store.onDidChange(() => this.beat()));
    this.owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.arm()));
    this.owned.add({ dispose: () => clearTimeout(this.timer) });
    this.arm();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private beat(): void {
    if (isPromptVisible()) {
      this.beats.fire();
    }
  }

  /** No timer while no prompt can be seen. */
  private arm(): void {
    clearTimeout(this.timer);
    if (isPromptVisible()) {
      this.timer = setTimeout(
        () => {
          this.beat();
          this.arm();
        },
        MINUTE_MS - (Date.now() % MINUTE_MS),
      );
    }
  }
}

function isPromptVisible(): boolean {
  return vscode.window.visibleTextEditors.some(({ document }) => readTarget(document.uri) !== undefined);
}
