import { execSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../../src/extension/api';
import { exportedJobs } from '../e2e/windowState';
import { jobBranch } from '../support/temporaryRepository';
import { launchBrowser } from '../support/vscode/browser';
import { packageExtension, run } from '../support/vscode/run';
import { extensionFolder } from '../support/vscode/paths';
import { VsCodeServer } from '../support/vscode/server';
import { Workbench } from '../support/vscode/workbench';
import type { DemoSite } from './demoSite';

/** How long the job may take, in milliseconds. */
const JOB_LIMIT = 3 * 60_000;
const ENDS = ['completed', 'failed', 'archived', 'rejected', 'unconfirmed'];

/**
 * Sends one prompt through the packaged extension in a real extension host, without user interaction or a visible
 * window, and prints the life of the job. Throws with the reason if the job does not complete. The command gets the job
 * as JSON when it has ended.
 */
export async function runPromptDemo(
  site: DemoSite,
  { prompt, onFinished }: { prompt: string; onFinished: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const vsix = join(site.profile, 'extension.vsix');
  await packageExtension(extensionFolder, vsix);
  const server = await VsCodeServer.start({ settings: site.settings, vsix: [vsix] });
  const browser = await launchBrowser();
  try {
    const profile = await Workbench.newProfile(browser);
    const window = await Workbench.open(profile, server, { folder: site.repository });
    try {
      print(`prompt: ${prompt}`);
      const job = await createJob(window, prompt, signal);
      if (onFinished !== undefined) {
        execSync(onFinished, {
          input: `${JSON.stringify(job)}\n`,
          stdio: ['pipe', 'inherit', 'inherit'],
          timeout: 60_000,
        });
      }
      await report(site, job);
    } catch (error) {
      // What the window shows to a user explains the failure better.
      const told = await window.toastTexts();
      throw told.length === 0 ? error : new Error([String(error), ...told].join('\n'));
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Creates the job as another extension would, prints each of its states, and returns it when it has ended. */
async function createJob(window: Workbench, prompt: string, signal: AbortSignal): Promise<Job> {
  const failures: unknown[] = [];
  const created = async (): Promise<void> => {
    const job = await window.host.command('docsAgent.createJob', { prompt });
    if (job === null) {
      throw new Error('the command made no job');
    }
  };
  void created().catch((error: unknown) => failures.push(error));
  let shown = '';
  for (const end = Date.now() + JOB_LIMIT; Date.now() < end && failures.length === 0;) {
    signal.throwIfAborted();
    const [job] = await exportedJobs(window);
    const line = [job?.status, job?.serviceStatus, job?.id].filter((word) => word !== undefined).join(' ');
    if (line !== shown) {
      print(line);
      shown = line;
    }
    if (job !== undefined && ENDS.includes(job.status)) {
      return job;
    }
    await delay(100);
  }
  const [failure = new Error(`the job did not end in ${JOB_LIMIT / 60_000} minutes`)] = failures;
  throw failure;
}

async function report({ repository }: DemoSite, { id, status, error, prLink }: Job): Promise<void> {
  if (status !== 'completed') {
    throw new Error(`the job ended as ${status}${error === undefined ? '' : `: ${error}`}`);
  }
  if (id === undefined || prLink === null) {
    print('no file was changed');
    return;
  }
  // The review page that the job links to is gone when this command ends, so the changes are printed instead.
  print('changes ready:');
  const branch = `refs/heads/${await jobBranch(repository, id)}`;
  const args = ['--no-pager', 'diff', '--no-ext-diff', `HEAD...${branch}`, '--'];
  process.stdout.write(`\n${(await run('git', args, { cwd: repository })).output}`);
}

function print(text: string): void {
  process.stdout.write(`${new Date().toISOString()}  ${text}\n`);
}
