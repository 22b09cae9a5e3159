import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jobBranch } from '../support/temporaryRepository';
import { launchBrowser } from '../support/vscode/browser';
import type { ExtensionHost } from '../support/vscode/extensionHosts';
import { packageExtension } from '../support/vscode/packageExtension';
import { extensionFolder } from '../support/vscode/paths';
import { run } from '../support/vscode/run';
import { VsCodeServer } from '../support/vscode/server';
import { Workbench } from '../support/vscode/workbench';
import type { DemoSite } from './demoSite';

/** How long the job may take, in milliseconds. */
const JOB_LIMIT = 3 * 60_000;
const POLL_EVERY = 100;
const ENDS = ['completed', 'failed', 'archived', 'rejected', 'unconfirmed'];

/** The displayed part of the extension's exported `Job`. */
interface ShownJob {
  key: string;
  id?: string;
  status: string;
  serviceStatus?: string;
  prLink: string | null;
  error?: string;
}

/** What the observer inside the extension host has collected since the last call. */
interface Observed {
  changes: { at: number; job: ShownJob }[];
  /** Why the command that creates the job failed. */
  error?: string;
}

/**
 * Sends one prompt through the packaged extension in a real extension host, without user interaction or a visible
 * window, and prints the life of the job. Throws with the reason if the job does not complete.
 */
export async function runPromptDemo(site: DemoSite, prompt: string, signal: AbortSignal): Promise<void> {
  const vsix = join(site.profile, 'extension.vsix');
  await packageExtension(extensionFolder, vsix);
  const server = await VsCodeServer.start({ settings: site.settings, vsix: [vsix] });
  const browser = await launchBrowser();
  try {
    const profile = await Workbench.newProfile(browser);
    const window = await Workbench.open(profile, server, { folder: site.repository });
    try {
      print(`prompt: ${prompt}`);
      await window.host.run(startObserved, prompt);
      await report(site, await followToEnd(window.host, signal));
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

/** Runs inside the host: subscribes to the extension's exported event, then creates the job as any caller would. */
async function startObserved(vscode: typeof import('vscode'), prompt: string): Promise<void> {
  const extension = vscode.extensions.getExtension<{ onDidChangeJob: import('vscode').Event<unknown> }>(
    'docs-agent.docs-agent-jobs',
  );
  if (extension === undefined) {
    throw new Error('the extension is not installed');
  }
  const api = await extension.activate();
  const observed: { changes: unknown[]; error?: string } = { changes: [] };
  Object.assign(globalThis, { docsAgentObserved: observed });
  api.onDidChangeJob((job) => observed.changes.push(JSON.parse(JSON.stringify({ at: Date.now(), job }))));
  const made = vscode.commands.executeCommand('docsAgent.createJob', { prompt });
  void made.then(
    (job) => {
      if (job === undefined) {
        observed.error = 'the command made no job';
      } else {
        observed.changes.push(JSON.parse(JSON.stringify({ at: Date.now(), job })));
      }
    },
    (error: unknown) => {
      observed.error = String(error);
    },
  );
}

/** Runs inside the host: returns what was observed and clears it. */
function takeObserved(): Observed {
  const { docsAgentObserved: observed } = globalThis as unknown as { docsAgentObserved: Observed };
  return { ...observed, changes: observed.changes.splice(0) };
}

async function followToEnd(host: ExtensionHost, signal: AbortSignal): Promise<ShownJob> {
  const end = Date.now() + JOB_LIMIT;
  let shown = '';
  while (Date.now() < end) {
    signal.throwIfAborted();
    const { changes, error } = await host.run(takeObserved);
    for (const { at, job } of changes) {
      const line = [job.status, job.serviceStatus, job.id].filter((word) => word !== undefined).join(' ');
      if (line !== shown) {
        print(line, at);
        shown = line;
      }
      if (ENDS.includes(job.status)) {
        return job;
      }
    }
    if (error !== undefined) {
      throw new Error(error);
    }
    await delay(POLL_EVERY);
  }
  throw new Error(`the job did not end in ${JOB_LIMIT / 60_000} minutes; it was: ${shown || 'not seen'}`);
}

async function report(site: DemoSite, job: ShownJob): Promise<void> {
  if (job.status !== 'completed') {
    throw new Error(`the job ended as ${job.status}${job.error === undefined ? '' : `: ${job.error}`}`);
  }
  if (job.id === undefined || job.prLink === null) {
    print('no file was changed');
    return;
  }
  // The review page that the job links to is gone when this command ends, so the changes are printed instead.
  print('changes ready:');
  const branch = `refs/heads/${await jobBranch(site.repository, job.id)}`;
  const diff = await run('git', ['--no-pager', 'diff', '--no-ext-diff', `HEAD...${branch}`, '--'], {
    cwd: site.repository,
  });
  process.stdout.write(`\n${diff.output}`);
}

function print(text: string, at = Date.now()): void {
  process.stdout.write(`${new Date(at).toISOString()}  ${text}\n`);
}
