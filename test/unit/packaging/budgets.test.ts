import { rejects } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkoutRoot } from '../../support/vscode/paths';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';

interface Budgets {
  checkBuild: (folder: string) => Promise<void>;
  checkPackage: (folder: string, file: string) => Promise<void>;
}

describe('budgets of what is shipped', () => {
  let budgets: Budgets;
  before(async () => {
    budgets = (await import(pathToFileURL(join(checkoutRoot, 'budgets.mjs')).href)) as Budgets;
  });

  /** A build of these files. */
  async function build(folder: string, sizes: Record<string, number>): Promise<void> {
    const parts = {
      entry: { files: ['entry.js'], bytes: 10 },
      late: { files: ['entry.js', 'chunks/late-*'], bytes: 100 },
      together: { files: ['chunks/late-*'], imports: true, bytes: 1000 },
      package: { bytes: 50 },
    };
    await mkdir(join(folder, 'dist', 'chunks'), { recursive: true });
    await writeFile(join(folder, 'budgets.json'), JSON.stringify(parts));
    for (const [name, bytes] of Object.entries(sizes)) {
      await writeFile(join(folder, 'dist', name), 'x'.repeat(bytes));
    }
  }

  it('are kept by a build that takes no more', () =>
    withTemporaryFolder(async (folder) => {
      await build(folder, { 'entry.js': 10, 'chunks/late-A1.js': 90, 'chunks/other-B2.js': 1000 });
      await budgets.checkBuild(folder);
    }));

  it('fail it with a table when a part, or a sum of parts, takes a byte more', () =>
    withTemporaryFolder(async (folder) => {
      await build(folder, { 'entry.js': 10, 'chunks/late-A1.js': 50, 'chunks/late-C3.js': 41 });
      await rejects(budgets.checkBuild(folder), /entry +10 +10\n +late +101 +100 {2}over its budget\n/);
    }));

  it('count what a part loads with it, and nothing that it loads later', () =>
    withTemporaryFolder(async (folder) => {
      await build(folder, { 'entry.js': 10, 'chunks/other-B2.js': 910, 'chunks/later-D4.js': 5000 });
      const late = join(folder, 'dist', 'chunks', 'late-A1.js');
      await writeFile(late, 'import{a}from"./other-B2.js";import("./later-D4.js");a();'.padEnd(90));
      await budgets.checkBuild(folder);
      await writeFile(join(folder, 'dist', 'chunks', 'other-B2.js'), 'x'.repeat(911));
      await rejects(budgets.checkBuild(folder), /together +1001 +1000 {2}over its budget\n/);
    }));

  it('fail it when a part is not to be found', () =>
    withTemporaryFolder(async (folder) => {
      await build(folder, { 'chunks/late-A1.js': 50 });
      await rejects(budgets.checkBuild(folder), /entry +0 +10 {2}there is none\n/);
    }));

  it('hold for the package, too', () =>
    withTemporaryFolder(async (folder) => {
      await build(folder, { 'a.vsix': 50, 'b.vsix': 51 });
      await budgets.checkPackage(folder, join(folder, 'dist', 'a.vsix'));
      await rejects(budgets.checkPackage(folder, join(folder, 'dist', 'b.vsix')), /package +51 +50 {2}over its budget/);
      await budgets.checkPackage(join(folder, 'dist'), join(folder, 'dist', 'b.vsix'));
    }));
});
