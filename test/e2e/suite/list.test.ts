import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import type { JobEvent } from '../../../src/jobs/events';
import { writeFinishedJobs, writeJob } from '../../support/finishedJobs';
import { useHostedWindow } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';

const MINUTE = 60_000;
const rest = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };

/** A job of a project that took so long, or still runs after so long. */
function job(service: string, projectId: string, prompt: string, ms: number, end?: string): JobEvent[] {
  const home = { service, baseUrl: service, projectId };
  const at = Date.now() - ms - 1000;
  const id = prompt.replaceAll(' ', '-');
  return [
    { type: 'send', at, send: 's', kind: 'create', prompt, home },
    { type: 'created', at: at + 500, send: 's', job: { id, status: 'active', ...rest }, home },
    ...(end === undefined
      ? []
      : [
          { type: 'changed' as const, at: at + ms, run: 's', job: { id, status: end, ...rest }, end: true },
          ...(end === 'failed' ? [] : [{ type: 'seen' as const, at: at + ms }]),
        ]),
  ];
}

describe('the list of jobs', () => {
  const { window, server: scripted } = useHostedWindow({}, 'active');

  before(async () => {
    const { server, workbench } = window();
    const root = join(server.globalStorage(EXTENSION_ID), 'jobs');
    const service = scripted().url;
    await mkdir(`${root}-new`, { recursive: true });
    await writeFinishedJobs(`${root}-new`, 450);
    const more: [string, JobEvent[]][] = [
      ...[1, 2, 3, 4, 5].map((n): [string, JobEvent[]] => [
        `quick${n}`,
        job(service, 'docs-project', `Quick job ${n}`, n * MINUTE, 'completed'),
      ]),
      ['slow', job(service, 'docs-project', 'Slow job about tides', 30 * MINUTE)],
      ['other', job(service, 'another-project', 'Describe the retry policy', 2 * MINUTE, 'failed')],
    ];
    await Promise.all(more.map(([name, events]) => writeJob(`${root}-new`, name.padEnd(16, '0'), events)));
    await rename(`${root}-new`, root);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
  });

  /** Resolves once what is kept of the list says this. */
  async function keptState(says: RegExp): Promise<void> {
    const storage = join(window().server.globalStorage(EXTENSION_ID), '..', '..', 'workspaceStorage');
    for (;;) {
      for (const name of await readdir(storage)) {
        const text = await readFile(join(storage, name, EXTENSION_ID, 'list.json'), 'utf8').catch(() => '');
        if (says.test(text)) {
          return;
        }
      }
      await delay(50);
    }
  }

  it('tells what runs unusually long and what has not been seen, and shows long sections a page at a time', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const tree = workbench.tree('Jobs');
    await tree.expectRow(/Slow job about tides.*running unusually long, usually 3 min/, JOB_LIMIT);
    await tree.expectRow(/Ready for review, 450 jobs/);
    await workbench.screenshot('list 1 by state');
    await tree.click(/Document part 449/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await tree.expectRow(/Describe the retry policy.*failed.*not seen yet/);
    await tree.expectRow(/Quick job 5/);
    const bar = page.locator('.statusbar-item[aria-label*="1 job in progress, 1 ended job not seen yet"]');
    await bar.waitFor();
  });

  it('keeps what was folded over a reload, and the row that was selected', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await tree.click(/Quick job 3/);
    await keptState(/"selected":"quick3/);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await tree.expectRow(/Quick job 5/, JOB_LIMIT);
    await workbench.page.locator('.monaco-list-row.selected', { hasText: 'Quick job 3' }).waitFor();
    await tree.expectNoRow(/Document part/);
  });

  it('groups by project and by day, sorts by name, and filters while one types', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.palette('Docs Agent: Group Jobs…');
    await workbench.quickInput.pick('By project');
    await tree.expectRow(/^another-project, 1 job$/);
    await workbench.screenshot('list 2 by project');
    await workbench.palette('Docs Agent: Sort Jobs…');
    await workbench.quickInput.pick('By name');
    await workbench.palette('Docs Agent: Group Jobs…');
    await workbench.quickInput.pick('By day');
    await tree.expectRow(/^(Today|Yesterday), \d jobs?$/);
    await workbench.palette('Docs Agent: Filter Jobs…');
    await workbench.quickInput.expectTitle('Filter the jobs');
    await workbench.quickInput.fill('quick JOB');
    await workbench.page.getByText('5 of 457 jobs: “quick JOB”.').waitFor();
    await workbench.quickInput.accept();
    await tree.expectNoRow(/Slow job/);
    const names = (await tree.rows()).filter((row) => row.includes('Quick')).map((row) => row.slice(0, 11));
    deepStrictEqual(
      names,
      [1, 2, 3, 4, 5].map((n) => `Quick job ${n}`),
    );
    await workbench.screenshot('list 3 filtered');
    await workbench.palette('Docs Agent: Clear Filter');
    await workbench.palette('Docs Agent: Group Jobs…');
    await workbench.quickInput.pick('By state');
    await tree.expectRow(/Slow job/);
  });

  it('shows more of a long section when asked', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const tree = workbench.tree('Jobs');
    await workbench.host.command('docsAgent.filterJobs', { text: 'part', states: ['ready'] });
    await page.getByText('450 of 457 jobs: “part” · Ready for review.').waitFor();
    await tree.expectNoRow(/Slow job/);
    await tree.click(/Ready for review, 450 jobs/);
    await tree.expectRow(/Document part 0 /);
    await page.keyboard.press('End');
    await tree.expectRow(/Show more.*250 not shown/);
    await page.keyboard.press('Enter');
    await tree.expectNoRow(/250 not shown/);
    await page.keyboard.press('End');
    await tree.expectRow(/Show more.*50 not shown/);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await tree.expectNoRow(/Document part/);
    await keptState(/"collapsed":\["section:state:ready"\]/);
    await workbench.host.command('docsAgent.clearFilter');
  });

  it('pins, renames, removes several at once and brings one back', async () => {
    const { workbench } = window();
    const { page } = workbench;
    const tree = workbench.tree('Jobs');
    await tree.contextMenu(/Quick job 4/, 'Pin to Top');
    await tree.expectRow(/^Pinned, 1 job$/);
    await tree.contextMenu(/Quick job 4/, 'Rename…');
    await workbench.quickInput.answer('The fourth one');
    await tree.expectRow(/The fourth one/);
    await tree.click(/Quick job 1/);
    await page.keyboard.down('Control');
    await tree.click(/Quick job 2/);
    await page.keyboard.up('Control');
    await tree.contextMenu(/Quick job 2/, 'Remove from List');
    await workbench.page.getByText('Removed from the list: 2 jobs').first().waitFor();
    await tree.expectNoRow(/Quick job 1/);
    await workbench.palette('Docs Agent: Show Removed Jobs');
    await tree.expectRow(/^Removed from the list, 2 jobs$/);
    await workbench.screenshot('list 4 removed');
    await tree.contextMenu(/Quick job 1/, 'Bring Back to List');
    await workbench.palette('Docs Agent: Back to the List of Jobs');
    await tree.expectRow(/Quick job 1/);
    await tree.expectNoRow(/Quick job 2/);
  });

  it('marks all as seen', async () => {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Mark All as Seen');
    await workbench.tree('Jobs').expectNoRow(/not seen yet/);
    strictEqual(await workbench.badge('Docs Agent'), '');
  });
});
