import { deepStrictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';

const FILE = join(checkoutRoot, 'test', 'unit', 'packaging', 'budget.json');

/** The most lines that each folder may have, without those of its subfolders that are listed, too. */
const budget = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>;
const folders = Object.keys(budget);

/** The lines of each folder as it is. */
function lines(): Record<string, number> {
  const counts = Object.fromEntries(folders.map((folder) => [folder, 0]));
  for (const root of ['src', 'test']) {
    for (const entry of readdirSync(join(checkoutRoot, root), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
        .slice(checkoutRoot.length + 1)
        .replaceAll(sep, '/');
      if (entry.isFile() && /\.(tsx?|css|[cm]js)$/.test(path)) {
        const [folder = root] = folders
          .filter((each) => path.startsWith(`${each}/`))
          .toSorted((a, b) => b.length - a.length);
        counts[folder] = (counts[folder] ?? 0) + readFileSync(join(checkoutRoot, path), 'utf8').split('\n').length - 1;
      }
    }
  }
  return counts;
}

describe('the source', () => {
  // A change that raises a number says what it takes away in return. DOCS_AGENT_TEST_BUDGET=write sets all of them.
  it('has at most as many lines in each folder as budget.json allows', () => {
    const counted = lines();
    if (process.env['DOCS_AGENT_TEST_BUDGET'] === 'write') {
      const rounded = Object.entries(counted).map(([folder, count]) => [folder, Math.ceil(count / 50) * 50]);
      writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
      return;
    }
    const over = Object.entries(counted).filter(([folder, count]) => count > (budget[folder] ?? 0));
    deepStrictEqual(
      over.map(([folder, count]) => `${folder}: ${count} of ${budget[folder] ?? 0}`),
      [],
    );
  });
});
