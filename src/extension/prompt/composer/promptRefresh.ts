import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { DisposableStore } from '../../../shared/util/disposable';
import { readTarget } from './composerTarget';

const MINUTE_MS = 60_000;

/** Ticks while a prompt can be seen: when a job or a prompt of the list changes, and once a minute. */
export class PromptRefresh implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly ticks = this.owned.add(new vscode.EventEmitter<void>());
  private timer: NodeJS.Timeout | undefined;
  readonly onDidTick = this.ticks.event;

  constructor(store: Pick<JobStore, 'onDidChange'>) {
    this.owned.add(store.onDidChange(() => this.tick()));
    this.owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.arm()));
    this.owned.add({ dispose: () => clearTimeout(this.timer) });
    this.arm();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private tick(): void {
    if (isPromptVisible()) {
      this.ticks.fire();
    }
  }

  /** No timer while no prompt can be seen. */
  private arm(): void {
    clearTimeout(this.timer);
    if (isPromptVisible()) {
      this.timer = setTimeout(
        () => {
          this.tick();
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
