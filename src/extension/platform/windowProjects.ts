import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { LOCAL_SERVICE, type ServiceLocation } from '../../jobs/events';
import { possibleProjectIds } from '../../protocol/localIds';
import { settings } from '../settings';

/** Knows which projects the folders of this window belong to. */
export class WindowProjects implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when folders or settings have changed. */
  readonly onDidChange = this.changed.event;
  private local: ReadonlySet<string> = new Set();
  private hosted: ReadonlySet<string> = new Set();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      this.changed,
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.update()),
      vscode.workspace.onDidChangeConfiguration(() => void this.update()),
    ];
    void this.update();
  }

  /** Without folders, no project is the window's own. */
  has({ service, projectId }: ServiceLocation): boolean {
    return (service === LOCAL_SERVICE ? this.local : this.hosted).has(projectId);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async update(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const ids = folders.map((folder) => settings.projectId(folder)).filter((id) => id !== '');
    this.take(this.local, new Set(ids));
    const paths = folders.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    // The local service names a project by the real path of its repository.
    const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
    this.take(new Set(real.flatMap(possibleProjectIds)), this.hosted);
  }

  private take(local: ReadonlySet<string>, hosted: ReadonlySet<string>): void {
    const isSame = [...local, ' ', ...hosted].join('\n') === [...this.local, ' ', ...this.hosted].join('\n');
    this.local = local;
    this.hosted = hosted;
    if (!isSame) {
      this.changed.fire();
    }
  }
}
