import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

/** What each library and each part that is used late can be told by, in the files that hold them. */
const LATE: [string, RegExp][] = [
  ['undici', /UND_ERR_/],
  ['zod', /_zod\b/],
  ['the rules for secrets', /secretlint/],
  ['git', /"(?:cat-file|ls-files|rev-parse)"/],
];

describe('what the extension host reads of the package', () => {
  const window = useWindow();

  /** Makes it seem long ago that a file was read; a read is noted where the disk keeps such times at all. */
  const forget = async (path: string): Promise<void> => utimes(path, new Date(0), (await stat(path)).mtime);
  const wasRead = async (path: string): Promise<boolean> => (await stat(path)).atimeMs > 0;

  it('is the entry and the application with the view, and a library only when it is needed', async function () {
    const { server, workbench } = window();
    const probe = join(server.folder, 'probe');
    await writeFile(probe, 'x');
    await forget(probe);
    await readFile(probe);
    if (!(await wasRead(probe))) {
      this.skip();
    }
    const extensions = join(server.folder, 'extensions');
    const own = (await readdir(extensions)).find((name) => name.startsWith(`${EXTENSION_ID}-`)) ?? '';
    const dist = join(extensions, own, 'dist');
    const entries = await readdir(dist, { recursive: true, withFileTypes: true });
    const files = entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    await Promise.all(files.map(forget));
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await workbench.page.locator('.welcome-view-content', { hasText: 'Connect…' }).waitFor({ timeout: JOB_LIMIT });
    const flags = await Promise.all(files.map(wasRead));
    const read = files.filter((_, index) => flags[index]);
    const texts = await Promise.all(read.map((path) => readFile(path, 'utf8')));
    const names = read.map((path) => path.slice(dist.length + 1).replaceAll('\\', '/'));
    ok(names.includes('extension.cjs') && names.includes('application.mjs'), names.join());
    deepStrictEqual(
      names.filter((name) => !/^(extension\.cjs|application\.mjs|chunks\/[\w-]+\.mjs)$/.test(name)),
      [],
    );
    const found = LATE.filter(([, mark]) => texts.some((text) => mark.test(text))).map(([what]) => what);
    deepStrictEqual(found, []);
    // The marks are there in what was not read: else they would find nothing at all.
    const rest = await Promise.all(files.map((path) => readFile(path, 'utf8')));
    deepStrictEqual(
      LATE.filter(([, mark]) => !rest.some((text) => mark.test(text))),
      [],
    );
  });
});
