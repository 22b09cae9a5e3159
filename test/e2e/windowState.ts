import { deepStrictEqual } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocsAgentApi } from '../../src/extension/api';
import type { Job } from '../../src/extension/presentation/apiJob';
import { WAIT_LIMIT } from '../support/scale';
import type { Workbench } from '../support/vscode/workbench';

/** The jobs as the extension's exports return them. */
export async function exportedJobs(workbench: Workbench): Promise<Job[]> {
  return workbench.host.run(async (vscode) => {
    const extension = vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs');
    return [...((await extension?.activate())?.jobs ?? [])];
  });
}

/** Waits until the job with this title has this status. */
export async function untilStatus(workbench: Workbench, title: string, wanted: Job['status']): Promise<void> {
  for (const end = Date.now() + WAIT_LIMIT; Date.now() < end;) {
    if ((await exportedJobs(workbench)).some((job) => job.title === title && job.status === wanted)) {
      return;
    }
    await delay(100);
  }
  throw new Error(`the job did not become ${wanted}`);
}

/** Returns the unsent drafts on disk below the extension's global storage that have text, sorted. */
export async function draftTexts(storage: string): Promise<string[]> {
  const folder = join(storage, 'drafts');
  // A file that is still being written has another extension.
  const names = (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.md'));
  // A draft may have been deleted in the meantime.
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').toSorted();
}

/** Waits until the drafts on disk are exactly these. */
export async function untilDrafts(storage: string, ...wanted: string[]): Promise<void> {
  for (let tries = 0; tries < 400 && (await draftTexts(storage)).join() !== wanted.join(); tries++) {
    await delay(50);
  }
  deepStrictEqual(await draftTexts(storage), wanted);
}

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
