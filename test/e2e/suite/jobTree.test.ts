import { ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Locator } from 'playwright-core';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { type JobEvent, type Snapshot } from '../../../src/jobs/events';
import { writeJob } from '../../support/finishedJobs';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';
import { useHostedWindow } from '../hostedWindow';

describe('the whole way of a job by keyboard alone', () => {
  const window = useWindow(localWindow());

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await window().workbench.page.keyboard.press(key);
    }
  };
  const type = (text: string): Promise<void> => window().workbench.page.keyboard.type(text);
  /** The box at the top of the window, once keys go into it. */
  const box = (): Locator =>
    window().workbench.page.locator('.quick-input-widget:visible .quick-input-box input:focus');
  const list = (): Locator => window().workbench.page.locator('.sidebar .monaco-list:focus-within').first();
  const view = (): Locator => {
    const { page } = window().workbench;
    return page.locator('.sidebar .pane', { has: page.locator('.pane-header[aria-label^="Jobs"]') });
  };
  /** Presses the chord with this last key until what it brings is there: while a window comes up, keys can get lost. */
  const chord = async (last: string, brings: Locator): Promise<void> => {
    for (let attempt = 0; attempt < 10 && (attempt === 0 || !(await brings.isVisible())); attempt += 1) {
      await press('Control+K', 'Control+G', last);
      await brings.waitFor({ timeout: 4_000 }).catch(() => undefined);
    }
    await brings.waitFor();
  };
  /** The accessible name of the row that has the focus in the list. */
  const focusedRow = (): Promise<string> =>
    window().workbench.page.evaluate<string>(`(() => {
      const row = document.querySelector('.sidebar .monaco-list:focus-within .monaco-list-row.focused, .sidebar .monaco-list:focus .monaco-list-row.focused');
      return row?.getAttribute('aria-label') ?? '';
    })()`);
  /** Presses the key until the row with this name has the focus. */
  const goTo = async (row: RegExp, key: string): Promise<void> => {
    await list().waitFor();
    for (let step = 0; step < 20 && !row.test(await focusedRow()); step += 1) {
      await press(key);
      await window().workbench.page.waitForTimeout(50);
    }
    ok(row.test(await focusedRow()), `the focus is at ${await focusedRow()}`);
  };

  const openList = (): Promise<void> => chord('Control+L', list());
  /** Presses the entry of the focused row's menu. */
  const pickFromMenu = async (label: string): Promise<void> => {
    const { page } = window().workbench;
    const menu = page.locator('.context-view .monaco-menu');
    await press('Shift+F10');
    await menu.waitFor();
    const entry = menu.locator('.action-item.focused', { has: page.getByText(label, { exact: true }) });
    for (let step = 0; step < 30 && !(await entry.isVisible()); step += 1) {
      await press('ArrowDown');
    }
    ok(await entry.isVisible(), `${label} is not in the menu`);
    await press('Enter');
  };

  before(async () => {
    // From here on a click would be counted.
    await window().workbench.page.evaluate(`(() => {
      window.clicks = 0;
      window.addEventListener('pointerdown', () => { window.clicks += 1; }, true);
    })()`);
  });

  afterEach(async () => strictEqual(await window().workbench.page.evaluate('window.clicks'), 0));

  it('begins with a prompt, and its row is reached and read', async () => {
    const { workbench } = window();
    await chord('Control+J', box());
    await workbench.quickInput.expectTitle(/^New job for handbook/);
    await type('Document the retry policy');
    await press('Enter');
    await workbench.quickInput.expectClosed();
    await chord('Control+L', view());
    await workbench.tree('Jobs').expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
    // A list that was never shown takes the focus only when it has its rows.
    await openList();
    await goTo(/^Document the retry policy, pull request ready/, 'ArrowDown');
  });

  it('leads to its pull request through the menu of the row', async () => {
    const { workbench } = window();
    const opened = await workbench.openedPage(() => pickFromMenu('Open Pull Request'));
    await opened.getByText('retry-policy.md').first().waitFor();
    await opened.close();
  });

  it('has a page that is opened from the row, and a box there that takes a follow-up', async () => {
    const { workbench } = window();
    const page = new JobPageFrame(workbench);
    await openList();
    await goTo(/^Document the retry policy/, 'ArrowDown');
    await press('Enter');
    await page.expectState('Pull request ready');
    // The keyboard stays in the list, so that one can look at one job after the other; Enter once more goes to the page.
    await press('Enter');
    const area = page.frame.locator('textarea:focus');
    for (let step = 0; step < 60 && !(await area.isVisible()); step += 1) {
      await press('Tab');
    }
    await area.waitFor();
    await type('Mention the limits [scripted: wait 1000]');
    await workbench.screenshot('keyboard page');
    await press('Control+Enter');
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
    await page.expectText('Mention the limits');
  });

  it('goes on with a follow-up to the job that is picked', async () => {
    const { workbench } = window();
    await chord('Control+F', box());
    await workbench.quickInput.expectTitle('Follow up on which job?');
    await press('Enter');
    await workbench.quickInput.expectTitle(/^Follow-up to “Document the retry policy”/);
    await box().waitFor();
    await type('Add an example [scripted: wait 1000]');
    await press('Enter');
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Document the retry policy.*in progress/, JOB_LIMIT);
    await tree.expectRow(/Document the retry policy.*pull request ready/, JOB_LIMIT);
  });

  it('is renamed and removed from its row, and comes back', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await openList();
    await goTo(/^Document the retry policy/, 'ArrowDown');
    await pickFromMenu('Rename…');
    await workbench.quickInput.expectTitle(/name/i);
    await box().waitFor();
    await press('Control+A');
    await type('Retries');
    await press('Enter');
    await tree.expectRow(/^Retries, pull request ready/, JOB_LIMIT);
    await openList();
    await goTo(/^Retries/, 'ArrowDown');
    await pickFromMenu('Remove from List');
    await tree.expectNoRow(/^Retries/);
    await workbench.screenshot('keyboard removed');
  });
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LINK = 'https://forge.example/acme/handbook/pull/7';

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
