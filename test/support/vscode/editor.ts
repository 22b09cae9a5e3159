import { strictEqual } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ExtensionHost } from './extensionHosts';
import { menuLabels, pickMenuEntry } from './menu';

/** The text editor of a window. */
export class Editor {
  constructor(
    private readonly page: Page,
    private readonly host: () => ExtensionHost,
  ) {}

  /** Opens a file of the workspace and waits until its text is rendered. */
  async open(path: string): Promise<void> {
    await this.host().run(async (vscode, file: string) => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const uri = folder === undefined ? vscode.Uri.file(file) : vscode.Uri.joinPath(folder, file);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }, path);
    await this.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor();
  }

  /** Selects the first occurrence of a text, which must be on one line. */
  async select(text: string): Promise<void> {
    await this.host().run((vscode, wanted: string) => {
      const editor = vscode.window.activeTextEditor;
      const at = editor?.document.getText().indexOf(wanted) ?? -1;
      if (editor === undefined || at === -1) {
        throw new Error('no such text in the active editor');
      }
      const { document } = editor;
      editor.selection = new vscode.Selection(document.positionAt(at), document.positionAt(at + wanted.length));
    }, text);
    await this.page.locator('.editor-instance .selected-text').first().waitFor();
  }

  /** Picks an entry of the selection's context menu. Several labels lead through submenus. */
  async contextMenu(...labels: string[]): Promise<void> {
    await this.openMenu();
    await pickMenuEntry(this.page, labels);
  }

  /** The labels in the selection's context menu; closes the menu afterward. */
  async contextMenuLabels(): Promise<string[]> {
    await this.openMenu();
    const labels = await menuLabels(this.page);
    await this.page.keyboard.press('Escape');
    return labels;
  }

  /** The text of the active editor. */
  async text(): Promise<string> {
    return this.host().run((vscode) => vscode.window.activeTextEditor?.document.getText() ?? '');
  }

  /** Waits until the active editor has this text: the extension host receives it a moment after it is shown. */
  async expectText(text: string): Promise<void> {
    for (let tries = 0; tries < 200 && (await this.text()) !== text; tries++) {
      await this.page.waitForTimeout(100);
    }
    strictEqual(await this.text(), text);
  }

  /** Right-clicks in the middle of the selection, where a click does not change it. */
  private async openMenu(): Promise<void> {
    const box = await this.page.locator('.editor-instance .selected-text').first().boundingBox();
    if (box === null) {
      throw new Error('nothing is selected');
    }
    await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: 'right' });
  }
}
