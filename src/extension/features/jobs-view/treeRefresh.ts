import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';

/** Remembers which rows the editor has, so that a refresh can skip those that would look the same. */
export class DrawnRows<Node extends object> {
  private readonly looks = new WeakMap<Node, string>();
  private readonly rows = new WeakMap<Node, readonly Node[]>();

  /** Records how a row looks. */
  item(node: Node, item: vscode.TreeItem): vscode.TreeItem {
    this.looks.set(node, lookOf(item));
    return item;
  }

  /** Records the rows of a section. */
  children(section: Node, rows: Node[]): Node[] {
    this.rows.set(section, rows);
    return rows;
  }

  /**
   * Returns the rows of a section that now look different, or the section itself if it looks different or has other
   * rows than before.
   */
  outdated(section: Node, rows: readonly Node[], itemOf: (node: Node) => vscode.TreeItem): Node[] {
    const before = this.rows.get(section);
    const isSame =
      before === undefined || (rows.length === before.length && rows.every((row, index) => row === before[index]));
    const differs = (node: Node): boolean => this.looks.get(node) !== lookOf(itemOf(node));
    if (!isSame || differs(section)) {
      return [section];
    }
    return before === undefined ? [] : rows.filter(differs);
  }
}

/** Everything visible of a row, except whether it is collapsed, which the editor remembers itself. */
function lookOf(item: vscode.TreeItem): string {
  const canFold = item.collapsibleState !== vscode.TreeItemCollapsibleState.None;
  return JSON.stringify(Object.entries(item).filter(([name]) => name !== 'collapsibleState')) + String(canFold);
}

const MINUTE_MS = 60_000;

/** Refreshes ages every minute while they are visible; otherwise no timer runs. */
export class AgeTimer implements Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly draw: () => void) {}

  run(isNeeded: boolean): void {
    if (!isNeeded) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else {
      this.timer ??= setInterval(this.draw, MINUTE_MS);
    }
  }

  dispose(): void {
    this.run(false);
  }
}
