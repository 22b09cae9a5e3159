// `npm start`: shows the extension at work on sample documentation, in a profile of its own, with the service on this
// machine and a scripted agent; no account and no network are needed. With `--prompt TEXT` it needs no hands either.
import { parseArgs } from 'node:util';
import { checkoutRoot } from '../support/vscode/paths';
import { runChecked } from '../support/vscode/run';
import { withTemporaryFolder } from '../support/vscode/temporaryFolder';
import { runBrowserDemo } from './browserDemo';
import { createDemoSite } from './demoSite';
import { findDesktop, runDesktopDemo } from './desktopDemo';
import { runPromptDemo } from './promptDemo';

const { values } = parseArgs({ options: { prompt: { type: 'string' } } });
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

try {
  await demonstrate(values.prompt, interrupted.signal);
} catch (error) {
  process.stderr.write(`\nIt did not work: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function demonstrate(prompt: string | undefined, signal: AbortSignal): Promise<void> {
  process.stdout.write('Building the extension ...\n');
  await runChecked(process.execPath, ['esbuild.mjs'], { cwd: checkoutRoot });
  await withTemporaryFolder(async (folder) => {
    const site = await createDemoSite(folder);
    if (prompt !== undefined) {
      await runPromptDemo(site, prompt, signal);
      return;
    }
    process.stdout.write(`Sample documentation: ${site.repository}\n`);
    process.stdout.write(
      'To try: press F1 and run "Docs Agent: New Job…", or select text in an editor and open its context menu.\n',
    );
    const desktop = await findDesktop();
    await (desktop === undefined ? runBrowserDemo(site, signal) : runDesktopDemo(desktop, site, signal));
  });
}
