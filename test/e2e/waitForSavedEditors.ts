import { setTimeout as delay } from 'node:timers/promises';
import type { Workbench } from '../support/vscode/workbench';

/** How long the editor may take to save its state, in milliseconds: it saves every few seconds while nobody types. */
const PATIENCE_MS = 60_000;

/** A script for a page: returns the saved list of editors that the window will open after a reload. */
const SAVED_EDITORS = `(async () => {
  const all = [];
  for (const { name } of await indexedDB.databases()) {
    const open = indexedDB.open(name);
    const database = await new Promise((resolve, reject) => {
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error);
    });
    if (database.objectStoreNames.contains('ItemTable')) {
      const value = database.transaction('ItemTable').objectStore('ItemTable').get('memento/workbench.parts.editor');
      all.push(await new Promise((resolve) => (value.onsuccess = () => resolve(value.result))));
    }
    database.close();
  }
  return all.join('\\n');
})()`;

/** Resolves once the editors that the window has saved for the next reload satisfy `fits`. */
export async function waitForSavedEditors({ page }: Workbench, fits: (editors: string) => boolean): Promise<void> {
  for (const start = Date.now(); !fits(await page.evaluate<string>(SAVED_EDITORS));) {
    if (Date.now() - start > PATIENCE_MS) {
      throw new Error('the editor did not save its state');
    }
    await delay(100);
  }
}
