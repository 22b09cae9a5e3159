import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the forms in which a secret may appear. Includes base64 inside a longer text, at each of the three byte
 * offsets.
 */
export function formsOf(secret: string): string[] {
  const inside = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    const base64 = bytes.toString('base64').replace(/=+$/, '');
    const own = base64.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), hex, ...inside])];
}

/** Returns the files below a folder that contain one of these texts, each with the text it contains. */
export async function findFilesContaining(
  folder: string,
  texts: readonly string[],
): Promise<{ hits: string[]; files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hits: string[] = [];
  for (const file of files) {
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    hits.push(...texts.filter((text) => content.includes(text)).map((text) => `${file}: ${text}`));
  }
  return { hits, files: files.length };
}

/** A script for a page: returns everything that the page keeps in the browser, as one text. */
export const BROWSER_STORAGE = `(async () => {
  const all = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
  for (const { name } of await indexedDB.databases()) {
    const open = indexedDB.open(name);
    const database = await new Promise((resolve, reject) => {
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error);
    });
    for (const store of database.objectStoreNames) {
      const values = database.transaction(store).objectStore(store).getAll();
      const found = await new Promise((resolve) => (values.onsuccess = () => resolve(values.result)));
      all.push(...found.map((value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value))));
    }
    database.close();
  }
  return all.join('\\n');
})()`;
