import { match, ok, strictEqual } from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ScriptedServer } from '../../support/scriptedServer';
import { untilDrafts as untilDraftTexts } from '../draftTexts';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

const EXTENSION = 'docs-agent.docs-agent-jobs';

describe('a prompt that was typed and not sent', () => {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start({ status: 201, body: { id: 'job1', status: 'active' } });
    servers.push(server);
    return { settings: { 'docsAgent.baseUrl': server.url, 'docsAgent.projectId': 'docs' } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const storage = (): string => window().server.globalStorage(EXTENSION);
  const posts = (): number => servers.reduce((sum, server) => sum + server.count('POST'), 0);

  async function untilPosts(wanted: number): Promise<void> {
    for (let tries = 0; tries < 200 && posts() < wanted; tries++) {
      await delay(50);
    }
    strictEqual(posts(), wanted);
  }

  const untilDrafts = (...wanted: string[]): Promise<void> => untilDraftTexts(storage(), ...wanted);

  async function openBox(): Promise<void> {
    await window().workbench.palette('Docs Agent: New Job…');
    await window().workbench.quickInput.expectTitle(/^New job for docs/);
  }

  async function useTheme(theme: string | undefined): Promise<void> {
    await window().workbench.host.run(async (vscode, name: string | undefined) => {
      await vscode.workspace.getConfiguration('workbench').update('colorTheme', name, true);
    }, theme);
  }

  it('comes back after Escape', async () => {
    const { quickInput } = window().workbench;
    await openBox();
    await quickInput.fill('Explain the cache');
    await quickInput.cancel();
    await quickInput.expectClosed();
    await openBox();
    strictEqual(await quickInput.value(), 'Explain the cache');
  });

  it('comes back after a reload in the middle of typing', async () => {
    const { workbench } = window();
    await workbench.quickInput.fill('Explain the cache and the queue');
    await untilDrafts('Explain the cache and the queue');
    await workbench.reload();
    await openBox();
    strictEqual(await workbench.quickInput.value(), 'Explain the cache and the queue');
  });

  it('comes back after a reload right after the last letter', async () => {
    const { workbench } = window();
    await workbench.quickInput.fill('Explain the cache, the queue and the retries');
    // The window answers after it has told the extension what was typed, which is in memory only by then.
    await workbench.host.run((vscode) => vscode.commands.getCommands().then(({ length }) => length));
    await workbench.reload();
    await openBox();
    strictEqual(await workbench.quickInput.value(), 'Explain the cache, the queue and the retries');
  });

  it('comes back after the extension host was killed, in another window', async () => {
    const { workbench, profile } = window();
    await workbench.quickInput.fill('Explain what a crash leaves');
    await untilDrafts('Explain what a crash leaves');
    process.kill(workbench.host.facts.pid, 'SIGKILL');
    const other = await window().openAnother();
    await other.palette('Docs Agent: New Job…');
    await other.quickInput.expectTitle(/^New job for docs/);
    strictEqual(await other.quickInput.value(), 'Explain what a crash leaves');
    await other.quickInput.cancel();
    await other.page.close();
    ok(profile.pages().length > 0);
    await workbench.reload();
  });

  it('stays in the box, with the reason, while the disk does not take it', async () => {
    const { workbench } = window();
    const { quickInput, page } = workbench;
    const jobs = join(storage(), 'jobs');
    await rename(jobs, `${jobs}.away`).catch(() => undefined);
    await writeFile(jobs, 'no folder');
    try {
      await openBox();
      await quickInput.fill('Explain the full disk');
      await quickInput.accept();
      await quickInput.expectMessage(/could not be saved: .* press Enter again; nothing was sent\.$/);
      strictEqual(await quickInput.value(), 'Explain the full disk');
      await workbench.screenshot('draft 1 not saved light');
      await page.setViewportSize({ width: 500, height: 700 });
      await workbench.screenshot('draft 2 not saved narrow');
      await page.setViewportSize({ width: 1400, height: 900 });
      await useTheme('Dark Modern');
      await page.locator('.vs-dark').first().waitFor();
      await workbench.screenshot('draft 3 not saved dark');
      await useTheme(undefined);
      strictEqual(posts(), 0);
      await untilDrafts('Explain the full disk');
      // With the keyboard only: the box has kept the focus.
      await page.keyboard.type(' again');
      await page.keyboard.press('Enter');
      await quickInput.expectMessage(/could not be saved/);
      strictEqual(await quickInput.value(), 'Explain the full disk again');
    } finally {
      await rm(jobs);
      await rename(`${jobs}.away`, jobs).catch(() => undefined);
    }
    await page.keyboard.press('Enter');
    await quickInput.expectTitle(/^API key for/);
    await untilDrafts();
    await quickInput.answer('key-of-this-test');
    await workbench.activityBar('Docs Agent');
    await workbench.tree('Jobs').expectRow(/Explain the full disk again.*(in progress|just now)/, JOB_LIMIT);
    await untilPosts(1);
    await openBox();
    strictEqual(await quickInput.value(), '');
    await quickInput.cancel();
  });

  it('that a program gave is told once and stands in the box, whole', async () => {
    const { workbench } = window();
    const { quickInput } = workbench;
    const jobs = join(storage(), 'jobs');
    const before = posts();
    await rename(jobs, `${jobs}.away`);
    await writeFile(jobs, 'no folder');
    try {
      strictEqual(await workbench.host.command('docsAgent.createJob', { prompt: 'Given first\nand second' }), null);
      const notice = workbench.toast(/The prompt could not be saved: /);
      await notice.expect();
      await workbench.screenshot('draft 4 given not saved');
      strictEqual((await workbench.toastTexts()).length, 1);
      await notice.click('Open prompt');
      await quickInput.expectTitle(/^New job for docs/);
      strictEqual(await quickInput.value(), 'Given first');
      await quickInput.expectMessage('The other lines of the prompt (1)');
      strictEqual(posts(), before);
    } finally {
      await rm(jobs);
      await rename(`${jobs}.away`, jobs);
    }
    await quickInput.accept();
    await quickInput.expectClosed();
    await workbench.tree('Jobs').expectRow(/Given first/, JOB_LIMIT);
    await untilPosts(before + 1);
    match(servers[0]?.requests.findLast(({ method }) => method === 'POST')?.body ?? '', /Given first\\nand second/);
    strictEqual((await exportedJobs(workbench)).length, 2);
    await untilDrafts();
  });

  it('is a job after a reload while the service was still to answer', async () => {
    const { workbench } = window();
    const before = posts();
    for (const server of servers) {
      server.choose = ({ method }) => ({
        status: method === 'POST' ? 201 : 200,
        body: { id: 'job3', status: 'active' },
        ...(method === 'POST' ? { delayMs: 1500 } : {}),
      });
    }
    await openBox();
    await workbench.quickInput.fill('Explain the slow answer');
    await workbench.quickInput.accept();
    await untilPosts(before + 1);
    await workbench.reload();
    await workbench.host.command('docsAgent.jobs.focus');
    await workbench.tree('Jobs').expectRow(/Explain the slow answer.*in progress/, JOB_LIMIT);
    strictEqual(posts(), before + 1);
    await untilDrafts();
  });
});
