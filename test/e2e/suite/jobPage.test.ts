import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { type JobEvent, type Snapshot } from '../../../src/jobs/events';
import { writeJob } from '../../support/finishedJobs';
import { exportedJobs } from '../exportedJobs';
import { useHostedWindow } from '../hostedWindow';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT } from '../localWindow';
import { untilSaved } from '../untilSaved';

const LINK = 'https://forge.example/o/r/pull/7';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Themes, and how the window's own style names them. */
const THEMES = [
  { name: 'Default Dark Modern', body: 'vs-dark' },
  { name: 'Default High Contrast', body: 'hc-black' },
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

describe('the page of a job', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'docsAgent.notifications': 'off' } }, 'active');
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);
  /** What the service says of jobs from now on. */
  let more: Record<string, unknown> = { status: 'active' };

  before(() => {
    const made = server().choose;
    server().choose = (seen) => {
      const [, id] = /\/job\/(\w+)(\/message)?$/.exec(seen.path) ?? [];
      return id === undefined ? (made?.(seen) ?? {}) : { body: { id, ...more } };
    };
  });

  async function refresh(): Promise<void> {
    await window().workbench.host.command('docsAgent.refreshJobs');
  }

  async function keyOf(title: string): Promise<string> {
    const job = (await exportedJobs(window().workbench)).find((each) => each.title === title);
    ok(job !== undefined, title);
    return job.key;
  }

  /** Writes a job of each state, and lets the service tell of each. */
  async function writeStates(): Promise<void> {
    const { url: service } = server();
    server().choose = ({ path }) => {
      const id = path.split('/').at(-1) ?? '';
      return id === 'gone'
        ? { status: 404, body: { error: 'no such job' } }
        : { body: { id, status: id === 'unknown' ? 'hibernating' : 'active' } };
    };
    const root = join(window().server.globalStorage(EXTENSION_ID), 'jobs');
    for (const job of JOBS) {
      const key = job.name.padEnd(16, '0');
      await writeJob(`${root}-new`, key, eventsOf(job, job.service ?? service));
      // A record is there whole or not at all.
      await rename(join(`${root}-new`, key), join(root, key));
    }
  }

  it('opens from the row and shows what was asked for and that it runs', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Explain the webhook\nand its retries' });
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('key-of-this-test');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*in progress/, JOB_LIMIT);
    await workbench.tree('Jobs').contextMenu(/Explain the webhook/, 'Show Job');
    await page().expectState('In progress');
    await page().expectText('and its retries');
    deepStrictEqual(await page().tabs(), ['Explain the webhook']);
    deepStrictEqual(await page().primaries(), []);
    deepStrictEqual(await page().brokenLabels(), []);
    await workbench.screenshot('job page 1 running');
  });

  it('follows the job while it is open, and its end counts as seen', async () => {
    const { workbench } = window();
    more = { status: 'completed', prLink: LINK, source: { repository: 'o/r', ref: 'docs/webhook' } };
    await refresh();
    await page().expectState('Pull request ready', JOB_LIMIT);
    await page().expectText('docs/webhook');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*pull request ready(?!.*not seen yet)/);
    deepStrictEqual(await page().primaries(), ['Open pull request']);
    const bar = page().frame.locator('.bar .running').first();
    match((await bar.getAttribute('title')) ?? '', /^Run .+\nPull request ready$/);
    strictEqual(await workbench.badge('Docs Agent'), '');
    await workbench.screenshot('job page 2 ready');
  });

  it('keeps what is typed when its tab is closed, and shares it with the box', async () => {
    const { workbench } = window();
    await page().box.fill('Add an example');
    await workbench.host.command('workbench.action.closeActiveEditor');
    await workbench.page.locator('iframe.webview').waitFor({ state: 'detached' });
    await workbench.tree('Jobs').inlineAction('Explain the webhook', 'Send Follow-up');
    await workbench.quickInput.expectTitle(/^Follow-up to “Explain the webhook”/);
    await workbench.quickInput.expectValue('Add an example');
    await workbench.quickInput.fill('Add an example of a retry');
    await workbench.quickInput.cancel();
    await workbench.palette('Docs Agent: Show Job');
    await workbench.quickInput.accept();
    await page().expectDraft('Add an example of a retry');
  });

  it('sends a follow-up, as the box does, and tells it', async () => {
    more = { status: 'active' };
    await page().box.press('Control+Enter');
    await page().expectDraft('');
    await page().expectState('In progress', JOB_LIMIT);
    deepStrictEqual(prompts().at(-1), 'Add an example of a retry');
    await page().expectText('Add an example of a retry');
    match((await page().box.getAttribute('placeholder')) ?? '', /stops the present work/);
    await window().workbench.screenshot('job page 3 follow-up');
  });

  it('asks about what looks like a secret, and keeps the text when it is not to go', async () => {
    const { workbench } = window();
    const before = prompts().length;
    const text = `Use ghp_${'a1B2'.repeat(9)} to fetch`;
    await page().box.fill(text);
    await page().box.press('Control+Enter');
    await workbench.quickInput.expectTitle(/looks like a secret/);
    await workbench.quickInput.cancel();
    await page().expectDraft(text);
    strictEqual(prompts().length, before);
    await page().box.fill('');
  });

  it('comes back after a reload, with the text', async () => {
    const { workbench } = window();
    await workbench.host.command('docsAgent.createJob', { prompt: 'Second job' });
    await workbench.tree('Jobs').expectRow(/Second job.*in progress/, JOB_LIMIT);
    const key = await keyOf('Second job');
    await workbench.host.command('workbench.action.closeAllEditors');
    await untilSaved(workbench, (editors) => !editors.includes(key));
    await workbench.host.command('docsAgent.showJob', key);
    await page().box.fill('Say more');
    await workbench.host.command('docsAgent.jobs.focus');
    await untilSaved(workbench, (editors) => editors.includes(key));
    await writeStates();
    await workbench.reload();
    await page().frame.locator('h1', { hasText: 'Second job' }).waitFor();
    deepStrictEqual(await page().tabs(), ['Second job']);
    await page().expectText('Second job');
    await page().expectDraft('Say more');
  });

  describe('and the row of each state', () => {
    before(() => window().workbench.host.command('docsAgent.jobs.focus'));

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
});
