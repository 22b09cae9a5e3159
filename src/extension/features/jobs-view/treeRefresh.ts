import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';

/** What the tree has handed to the editor, so that a refresh can leave out what would look the same. */
export class DrawnRows<Node extends object> {
  private readonly looks = new WeakMap<Node, string>();
  private readonly rows = new WeakMap<Node, readonly Node[]>();

  /** Notes how a row is drawn. */
  item(node: Node, item: vscode.TreeItem): vscode.TreeItem {
    this.looks.set(node, lookOf(item));
    return item;
  }

  /** Notes which rows a section has. */
  children(section: Node, rows: Node[]): Node[] {
    this.rows.set(section, rows);
    return rows;
  }

  /** The rows of a section that look different now, or the section itself where other rows are in it. */
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

/** All that is seen of a row. The editor remembers by itself whether it is folded. */
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
