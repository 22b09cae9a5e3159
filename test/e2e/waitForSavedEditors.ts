import { setTimeout as delay } from 'node:timers/promises';
import type { Workbench } from '../support/vscode/workbench';
import { WAIT_LIMIT } from '../support/limits';

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

/**
 * Resolves once the editors that the window has saved for the next reload satisfy `fits`. The window saves every few
 * seconds while nobody types.
 */
export async function waitForSavedEditors({ page }: Workbench, fits: (editors: string) => boolean): Promise<void> {
  for (const start = Date.now(); !fits(await page.evaluate<string>(SAVED_EDITORS));) {
    if (Date.now() - start > WAIT_LIMIT) {
      throw new Error('the editor did not save its state');
    }
    await delay(100);
  }
}
