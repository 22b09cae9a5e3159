// `npm start`: shows the extension at work on sample documentation, in its own profile, with the local service and a
// demo agent. No account and no network are needed. `--prompt TEXT` runs it without user interaction, and
// `--on-finished COMMAND` passes the job to a command then.
import { parseArgs } from 'node:util';
import { checkoutRoot } from '../support/vscode/paths';
import { runChecked, withTemporaryFolder } from '../support/vscode/run';
import { findDesktop, runBrowserDemo, runDesktopDemo } from './windowDemo';
import { createDemoSite } from './demoSite';
import { runPromptDemo } from './promptDemo';

const USAGE = 'Usage: npm start [-- --prompt "TEXT" [--on-finished "COMMAND"]]';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

try {
  await demonstrate(wanted(), interrupted.signal);
} catch (error) {
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(interrupted.signal.aborted ? '\nStopped.\n' : `\nFailed: ${words}\n`);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}

/** Returns the prompt and the command on the command line, if any. Throws a readable error for any other argument. */
function wanted() {
  try {
    const options = { prompt: { type: 'string' }, 'on-finished': { type: 'string' } } as const;
    const { prompt, 'on-finished': onFinished } = parseArgs({ options }).values;
    if (prompt?.trim() === '') {
      throw new Error('The prompt is empty.');
    }
    return { prompt, onFinished };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

async function demonstrate({ prompt, onFinished }: ReturnType<typeof wanted>, signal: AbortSignal): Promise<void> {
  process.stdout.write('Building the extension ...\n');
  await runChecked(process.execPath, ['scripts/esbuild.mjs'], { cwd: checkoutRoot });
  await withTemporaryFolder(async (folder) => {
    const site = await createDemoSite(folder);
    if (prompt !== undefined) {
      await runPromptDemo(site, { prompt, onFinished }, signal);
      return;
    }
    process.stdout.write(`Sample documentation: ${site.repository}\n`);
    process.stdout.write(
      'To try: choose New Job in the Docs Agent view, or right-click the selected sentence and choose “New Docs Job from Selection…”.\n',
    );
    const desktop = await findDesktop();
    await (desktop === undefined ? runBrowserDemo(site, signal) : runDesktopDemo(desktop, site, signal));
  });
  if (prompt === undefined) {
    process.stdout.write('\nStopped. The sample documentation was deleted.\n');
  }
}
