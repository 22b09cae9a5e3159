// How many bytes each part of what is shipped may take (budgets.json). Whoever exceeds one sees a table, and decides.
import { existsSync } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';

/** Throws with a table when a part of a build in `dist` of the folder is larger than its budget, or is missing. */
export async function checkBuild(folder = '.') {
  const dist = join(folder, 'dist');
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return { name: relative(dist, path).replaceAll('\\', '/'), bytes: (await stat(path)).size };
      }),
  );
  const parts = Object.entries(await budgetsIn(folder)).filter(([, { files }]) => files !== undefined);
  check(
    await Promise.all(
      parts.map(async ([part, { files: wanted, imports = false, bytes: budget }]) => {
        const named = files.map(({ name }) => name).filter((name) => wanted.some((each) => fits(name, each)));
        const names = imports ? await withImports(dist, named) : new Set(named);
        const own = files.filter(({ name }) => names.has(name));
        return { part, budget, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
      }),
    ),
  );
}

/** The same for a package that was made of the folder; for none where the folder names no budgets. */
export async function checkPackage(folder, file) {
  if (existsSync(join(folder, 'budgets.json'))) {
    const { bytes: budget } = (await budgetsIn(folder)).package;
    check([{ part: 'package', budget, bytes: (await stat(file)).size }]);
  }
}

async function budgetsIn(folder) {
  return JSON.parse(await readFile(join(folder, 'budgets.json'), 'utf8'));
}

/** With the modules that are loaded together with these, since they are imported at the top. */
async function withImports(dist, names) {
  const all = new Set(names);
  for (const name of all) {
    const text = await readFile(join(dist, name), 'utf8');
    for (const [, path] of text.matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g)) {
      all.add(posix.join(posix.dirname(name), path));
    }
  }
  return all;
}

/** A star at the end stands for anything. */
function fits(name, pattern) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function check(parts) {
  const isWrong = ({ bytes, budget }) => bytes > budget || bytes === 0;
  if (!parts.some(isWrong)) {
    return;
  }
  const said = (part) => (part.bytes === 0 ? '  there is none' : part.bytes > part.budget ? '  over its budget' : '');
  const rows = parts.map((part) => [part.part, `${part.bytes}`, `${part.budget}`, said(part)]);
  const lines = [['part', 'bytes', 'budget', ''], ...rows].map(
    ([part, bytes, budget, note]) => `  ${part.padEnd(40)}${bytes.padStart(9)}${budget.padStart(9)}${note}`,
  );
  throw new Error(`What is built does not keep to budgets.json:\n\n${lines.join('\n')}\n`);
}
