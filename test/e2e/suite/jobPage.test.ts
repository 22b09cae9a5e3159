import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { type JobEvent, type Snapshot } from '../../../src/jobs/events';
import { coded } from '../../../src/protocol/codedText';
import { writeJob } from '../../support/finishedJobs';
import { exportedJobs, waitForSavedEditors } from '../windowState';
import { useHostedWindow } from '../hostedWindow';
import { JobPageFrame } from '../jobPageFrame';
import { expectNone } from '../../support/vscode/workbench';

const LINK = 'https://forge.example/o/r/pull/7';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Themes, with the class that each sets on the window. */
const THEMES = [
  { name: 'Default Dark Modern', body: 'vs-dark' },
  { name: 'Default High Contrast', body: 'hc-black' },
];

/** A service that does not respond. */
const DEAD = 'http://127.0.0.1:9';

interface Wanted {
  /** The ID of the job at the service, which also identifies its row. */
  name: string;
  prompt: string;
  /** What the row shows, independent of the theme. */
  says: RegExp;
  service?: string;
  /** The outcome of the prompt; when absent, it was accepted and is still running. */
  outcome?: Partial<Extract<JobEvent, { reason: unknown }>>;
  /** How the job ended. */
  end?: Partial<Snapshot> & { status: string };
  seen?: boolean;
  more?: JobEvent[];
}

const SOON = Date.now() + 40 * MINUTE;
const JOBS: readonly Wanted[] = [
  {
    name: 'unconfirmed',
    prompt: 'Explain the error codes',
    says: /not confirmed/,
    outcome: { type: 'unconfirmed', reason: { kind: 'unreachable' } },
  },
  {
    name: 'rejected',
    prompt: 'Describe the private endpoints',
    says: /rejected by the service/,
    outcome: { type: 'rejected', reason: { kind: 'rejected', status: 400, detail: 'The prompt names no page.' } },
  },
  {
    name: 'limited',
    prompt: 'Document the command line',
    says: /queued until .*: rate limit/,
    outcome: { type: 'throttled', reason: { kind: 'limit', status: 429, until: SOON } },
  },
  {
    name: 'offline',
    prompt: 'Add a glossary of all terms',
    says: /queued: waiting for network/,
    service: DEAD,
    outcome: { type: 'notSent', reason: { kind: 'unreachable' } },
  },
  { name: 'running', prompt: 'Describe the retry policy', says: /in progress/ },
  { name: 'gone', prompt: 'Merge the two quick starts', says: /in progress.*not found on the service/ },
  { name: 'unknown', prompt: 'Translate the overview', says: /hibernating/ },
  {
    name: 'ready',
    prompt: 'Explain webhooks with an example',
    says: /pull request ready.*unread/,
    end: { status: 'completed', prLink: LINK },
  },
  {
    name: 'pushed',
    prompt: 'Document rate limits',
    says: /branch pushed, no pull request/,
    end: {
      status: 'completed',
      prLink: LINK,
      coded: {
        note: coded('pushedWithoutPullRequest', { branch: 'docs', host: 'github.com', why: 'There is no token.' }),
      },
    },
    seen: true,
  },
  {
    name: 'nothing',
    prompt: 'Check the changelog',
    says: /finished, no pull request/,
    end: { status: 'completed' },
  },
  {
    name: 'failed',
    prompt: 'Rewrite the Datenschutz-Folgenabschätzungsdokumentation of the Benutzerverwaltung',
    says: /failed.*unread/,
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

/** The events of a job as stored on disk. */
function eventsOf(job: Wanted, service: string): JobEvent[] {
  const { name, prompt, outcome, end, seen, more = [] } = job;
  const home = { service, baseUrl: service, projectId: 'docs-project' };
  const at = Date.now() - 2 * HOUR;
  const send: JobEvent = { type: 'send', at, promptId: 's', kind: 'create', text: prompt, home };
  if (outcome !== undefined) {
    const what = { type: 'rejected' as const, reason: { kind: 'rejected' as const }, ...outcome };
    return [send, { at: at + 1000, promptId: 's', attempt: 0, ...what }];
  }
  const empty = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  const started = name === 'running' ? Date.now() - 3 * MINUTE : at + 1000;
  const created: JobEvent = {
    type: 'created',
    at: started,
    promptId: 's',
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

describe('the job page', () => {
  const { window, server, prompts } = useHostedWindow({ settings: { 'docsAgent.notifications': 'off' } }, 'active');
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);
  /** What the service reports about jobs from now on. */
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

  /** Writes a job in each state and makes the service report a state for each. */
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
      // A record must appear on disk complete.
      await rename(join(`${root}-new`, key), join(root, key));
    }
  }

  it('opens from the row and shows the prompt and the running state', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    workbench.host.start('docsAgent.createJob', { prompt: 'Explain the webhook\nand its retries' });
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('key-of-this-test');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*in progress/);
    await workbench.tree('Jobs').contextMenu(/Explain the webhook/, 'Show Job');
    await page().expectState('In progress');
    await page().expectText('and its retries');
    deepStrictEqual(await page().tabs(), ['Explain the webhook']);
    deepStrictEqual(await page().primaries(), []);
    await page().frame.locator('summary', { hasText: 'Details' }).click();
    deepStrictEqual(await page().brokenLabels(), []);
    await workbench.screenshot('job page 1 running');
  });

  it('updates while it is open, and the end of the job counts as seen', async () => {
    const { workbench } = window();
    more = { status: 'completed', prLink: LINK, source: { repository: 'o/r', ref: 'docs/webhook' } };
    await refresh();
    await page().expectState('Pull request ready');
    await page().expectText('docs/webhook');
    await workbench.tree('Jobs').expectRow(/Explain the webhook.*pull request ready(?!.*unread)/);
    deepStrictEqual(await page().primaries(), ['Open Pull Request']);
    await page().frame.locator('.entries li', { hasText: 'Pull request ready' }).waitFor();
    strictEqual(await workbench.badge('Docs Agent'), '');
    await workbench.screenshot('job page 2 ready');
  });

  it('keeps the draft when its tab is closed and shares it with the input box', async () => {
    const { workbench } = window();
    await page().box.fill('Add an example');
    await workbench.host.command('workbench.action.closeActiveEditor');
    await expectNone(workbench.page.locator('iframe.webview'));
    await workbench.tree('Jobs').inlineAction('Explain the webhook', 'Send Follow-up');
    await workbench.quickInput.expectTitle(/^Follow-up to “Explain the webhook”/);
    await workbench.quickInput.expectValue('Add an example');
    await workbench.quickInput.fill('Add an example of a retry');
    await workbench.quickInput.cancel();
    // It is the only job.
    await workbench.palette('Docs Agent: Show Job');
    await page().expectDraft('Add an example of a retry');
  });

  it('sends a follow-up, as the input box does, and shows it', async () => {
    more = { status: 'active' };
    await page().box.press('Control+Enter');
    await page().expectDraft('');
    await page().expectState('In progress');
    deepStrictEqual(prompts().at(-1), 'Add an example of a retry');
    await page().expectText('Add an example of a retry');
    match((await page().box.getAttribute('placeholder')) ?? '', /can interrupt it/);
    await window().workbench.screenshot('job page 3 follow-up');
  });

  it('asks about a possible secret and keeps the text when sending is canceled', async () => {
    const { workbench } = window();
    const before = prompts().length;
    const text = `Use ghp_${'a1B2'.repeat(9)} to fetch`;
    await page().box.fill(text);
    await page().box.press('Control+Enter');
    await workbench.quickInput.expectTitle(/seems to contain a secret/);
    await workbench.quickInput.cancel();
    await page().expectDraft(text);
    strictEqual(prompts().length, before);
    await page().box.fill('');
  });

  it('is restored with its draft after a reload', async () => {
    const { workbench } = window();
    await workbench.host.command('docsAgent.createJob', { prompt: 'Second job' });
    await workbench.tree('Jobs').expectRow(/Second job.*in progress/);
    const key = await keyOf('Second job');
    await workbench.host.command('workbench.action.closeAllEditors');
    await waitForSavedEditors(workbench, (editors) => !editors.includes(key));
    await workbench.host.command('docsAgent.showJob', key);
    await page().box.fill('Say more');
    await workbench.host.command('docsAgent.jobs.focus');
    await waitForSavedEditors(workbench, (editors) => editors.includes(key));
    await writeStates();
    await workbench.reload();
    await page().frame.locator('h1', { hasText: 'Second job' }).waitFor();
    deepStrictEqual(await page().tabs(), ['Second job']);
    await page().expectText('Second job');
    await page().expectDraft('Say more');
  });

  describe('and the row in each state', () => {
    before(() => window().workbench.host.command('docsAgent.jobs.focus'));

    for (const theme of THEMES) {
      it(`shows the state as text in ${theme.name}`, async () => {
        const { workbench } = window();
        const { page, host } = workbench;
        await host.run(
          (vscode, name) => vscode.workspace.getConfiguration('workbench').update('colorTheme', name, true),
          theme.name,
        );
        await page.locator(`.monaco-workbench.${theme.body}`).waitFor();
        const tree = workbench.tree('Jobs');
        for (const { prompt, says } of JOBS) {
          await tree.expectRow(new RegExp(`${prompt.slice(0, 30)}.*${says.source}`));
        }
        await workbench.screenshot(`states ${theme.name}`);
      });
    }
  });
});
