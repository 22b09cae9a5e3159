import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import type { JobEvent, Snapshot } from '../../../src/jobs/events';
import { writeJob } from '../../support/finishedJobs';
import { useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LINK = 'https://forge.example/acme/handbook/pull/7';

/** Themes, and how the window's own style names them. */
const THEMES = [
  { name: 'Default Dark Modern', body: 'vs-dark' },
  { name: 'Default Light Modern', body: 'vs' },
  { name: 'Default High Contrast', body: 'hc-black' },
  { name: 'Default High Contrast Light', body: 'hc-light' },
];

/** A service that nobody answers for. */
const DEAD = 'http://127.0.0.1:9';

interface Wanted {
  /** Names the job at the service, and its row. */
  name: string;
  prompt: string;
  /** What the row says of it, whatever the theme. */
  says: RegExp;
  service?: string;
  /** What came of the prompt; accepted and still running when absent. */
  outcome?: Partial<Extract<JobEvent, { type: 'rejected' | 'notSent' | 'throttled' | 'unconfirmed' }>>;
  /** How it ended. */
  end?: Partial<Snapshot> & { status: string };
  seen?: boolean;
  more?: JobEvent[];
}

const SOON = Date.now() + 40 * MINUTE;
const JOBS: readonly Wanted[] = [
  {
    name: 'unconfirmed',
    prompt: 'Explain the error codes',
    says: /may have been created/,
    outcome: { type: 'unconfirmed', reason: { kind: 'unreachable' } },
  },
  {
    name: 'rejected',
    prompt: 'Describe the private endpoints',
    says: /not accepted/,
    outcome: { type: 'rejected', reason: { kind: 'rejected', status: 400, detail: 'The prompt names no page.' } },
  },
  {
    name: 'limited',
    prompt: 'Document the command line',
    says: /sends at .*: limit reached/,
    outcome: { type: 'throttled', reason: { kind: 'limit', status: 429, until: SOON } },
  },
  {
    name: 'offline',
    prompt: 'Add a glossary of all terms',
    says: /waits for the network/,
    service: DEAD,
    outcome: { type: 'notSent', reason: { kind: 'unreachable' } },
  },
  { name: 'running', prompt: 'Describe the retry policy', says: /in progress/ },
  { name: 'gone', prompt: 'Merge the two quick starts', says: /in progress.*no longer found/ },
  { name: 'unknown', prompt: 'Translate the overview', says: /hibernating/ },
  {
    name: 'ready',
    prompt: 'Explain webhooks with an example',
    says: /pull request ready.*not seen yet/,
    end: { status: 'completed', prLink: LINK },
  },
  {
    name: 'pushed',
    prompt: 'Document rate limits',
    says: /pushed without a pull request/,
    end: { status: 'completed', prLink: LINK, note: 'There is no token for this host.' },
    seen: true,
  },
  {
    name: 'nothing',
    prompt: 'Check the changelog',
    says: /finished without a pull request/,
    end: { status: 'completed' },
  },
  {
    name: 'failed',
    prompt: 'Rewrite the Datenschutz-Folgenabschätzungsdokumentation of the Benutzerverwaltung',
    says: /failed.*not seen yet/,
    end: { status: 'failed', error: 'The agent stopped: its credit is used up.' },
  },
  { name: 'archived', prompt: 'Remove the old screenshots', says: /archived/, end: { status: 'archived' }, seen: true },
  {
    name: 'pinned',
    prompt: 'Keep the style guide up to date',
    says: /pull request ready/,
    end: { status: 'completed', prLink: LINK },
    seen: true,
    more: [{ type: 'pinned', at: Date.now() }],
  },
];

/** The events of a job as they stand on disk. */
function eventsOf(job: Wanted, service: string): JobEvent[] {
  const { name, prompt, outcome, end, seen, more = [] } = job;
  const home = { service, baseUrl: service, projectId: 'docs-project' };
  const at = Date.now() - 2 * HOUR;
  const send: JobEvent = { type: 'send', at, send: 's', kind: 'create', prompt, home };
  if (outcome !== undefined) {
    const what = { type: 'rejected' as const, reason: { kind: 'rejected' as const }, ...outcome };
    return [send, { at: at + 1000, send: 's', attempt: 0, ...what }];
  }
  const empty = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  const started = name === 'running' ? Date.now() - 3 * MINUTE : at + 1000;
  const created: JobEvent = {
    type: 'created',
    at: started,
    send: 's',
    job: { id: name, status: 'active', ...empty },
    home,
  };
  if (end === undefined) {
    return [send, created, ...more];
  }
  const job1 = { id: name, ...empty, ...end };
  const changed: JobEvent = { type: 'changed', at: at + 9 * MINUTE, run: 's', job: job1, end: true };
  return [send, created, changed, ...(seen === true ? [{ type: 'seen' as const, at: at + HOUR }] : []), ...more];
}

describe('each state of a job', () => {
  const { window, server: scripted } = useHostedWindow();

  before(async () => {
    const { server, workbench } = window();
    const root = join(server.globalStorage(EXTENSION_ID), 'jobs');
    await mkdir(`${root}-new`, { recursive: true });
    const { url: service } = scripted();
    scripted().choose = ({ path }) => {
      const id = path.split('/').at(-1) ?? '';
      return id === 'gone'
        ? { status: 404, body: { error: 'no such job' } }
        : { body: { id, status: id === 'unknown' ? 'hibernating' : 'active' } };
    };
    await Promise.all(
      JOBS.map((job) => writeJob(`${root}-new`, job.name.padEnd(16, '0'), eventsOf(job, job.service ?? service))),
    );
    await rename(`${root}-new`, root);
    // A key is there, so that what runs can be asked for.
    await workbench.host.command('docsAgent.jobs.focus');
    void workbench.host.command('docsAgent.setApiKey');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.toast(/API key for/).expect(JOB_LIMIT);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
  });

  for (const theme of THEMES) {
    it(`says in words what it is, and looks like it, in ${theme.name}`, async () => {
      const { workbench } = window();
      const { page, host } = workbench;
      await host.run(
        (vscode, name) => vscode.workspace.getConfiguration('workbench').update('colorTheme', name, true),
        theme.name,
      );
      await page.locator(`.monaco-workbench.${theme.body}`).waitFor();
      const tree = workbench.tree('Jobs');
      for (const { prompt, says } of JOBS) {
        await tree.expectRow(new RegExp(`${prompt.slice(0, 30)}.*${says.source}`), JOB_LIMIT);
      }
      await workbench.screenshot(`states ${theme.name}`);
    });
  }
});
