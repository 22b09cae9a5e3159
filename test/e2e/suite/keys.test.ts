import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { report, scaled } from '../../support/scale';
import { type ScriptedAnswer, type SeenRequest, ScriptedServer } from '../../support/scriptedServer';
import { createSampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { type Workbench } from '../../support/vscode/workbench';
import { BROWSER_STORAGE, findFilesContaining, formsOf } from '../canary';
import { exportedJobs } from '../windowState';
import { useWindow } from '../window';

/** Contains characters that URLs, JSON and base64 encode differently. */
const KEY = 'Canary7f3a"\\/+&%=?zz91';
const base64 = Buffer.from(`Bearer ${KEY}`).toString('base64');
const LINK = `https://forge.example/${encodeURIComponent(KEY)}/${encodeURIComponent(base64)}`;

/** A service that echoes the key wherever it can. */
const ANSWERS: Record<string, ScriptedAnswer> = {
  odd: { status: 201, body: job(`odd ${KEY}`) },
  failed: { status: 201, body: job('failed') },
  refused: { status: 400, body: { error: `no ${KEY} ${base64}`, details: [{ message: JSON.stringify(KEY) }] } },
  cut: { status: 400, body: { error: `${'x'.repeat(488)}${KEY}` } },
  unauthorized: { status: 401, body: { error: `wrong key ${KEY}` } },
  forbidden: { status: 403, body: { error: LINK } },
  limit: { status: 429, headers: { 'retry-after': encodeURIComponent(KEY) }, body: { error: KEY } },
  fault: { status: 500, body: `<html>${KEY}</html>` },
  redirect: { status: 302, headers: { location: LINK }, body: KEY },
  text: { status: 201, body: KEY },
  reset: { fault: 'reset' },
};

/** Responses that a read does not retry; the retries after the others would take too long. */
const ONCE = ['odd', 'refused', 'cut', 'forbidden', 'text'];

function job(status: string): object {
  const source = { repository: `https://${base64}`, ref: JSON.stringify(KEY) };
  return { id: `id ${KEY}`, status, source, prLink: LINK, model: KEY, error: `because of ${KEY}`, [KEY]: KEY };
}

describe('an API key that the service echoes', () => {
  const servers: ScriptedServer[] = [];
  const forms = [...formsOf(KEY), 'Canary7f3a'];
  const seen: string[] = [];
  let service: ScriptedServer;
  let mode = 'unauthorized';

  const window = useWindow(async () => {
    service = await ScriptedServer.start();
    service.choose = ({ headers }: SeenRequest) => ({
      ...ANSWERS[mode],
      headers: { 'x-echo': encodeURIComponent(headers.authorization ?? ''), ...ANSWERS[mode]?.headers },
    });
    servers.push(service);
    const settings = { 'docsAgent.baseUrl': service.url, 'docsAgent.projectId': 'docs', 'workbench.hover.delay': 50 };
    return { settings };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  /** Records everything that the window shows, in text and in attributes. */
  async function note(): Promise<void> {
    const { workbench } = window();
    seen.push(await workbench.page.content(), await workbench.clipboard());
    seen.push(JSON.stringify(await exportedJobs(workbench)));
  }

  async function enterKey(): Promise<void> {
    const { workbench } = window();
    await workbench.quickInput.expectTitle(/API key/);
    await workbench.quickInput.answer(KEY);
  }

  it('is set, rejected, set again and used', async () => {
    const { workbench } = window();
    workbench.page.on('console', (message) => seen.push(message.text()));
    await workbench.activityBar('Docs Agent');
    await workbench.palette('Docs Agent: Set API Key…');
    await enterKey();
    await workbench.quickInput.expectMessage('The service rejected this key');
    await note();
    mode = 'refused';
    await enterKey();
    await workbench.toast(/API key/).expect();
    await note();
    // The jobs belong to other projects than the window's.
    await workbench.host.command('docsAgent.viewOptions', { otherProjects: true });
    for (mode of Object.keys(ANSWERS).filter((each) => each !== 'unauthorized')) {
      workbench.host.start('docsAgent.createJob', { prompt: `Document the canary ${mode}`, project: mode });
      await workbench.tree('Jobs').expectRow(`Document the canary ${mode}`);
      await delay(300);
      await note();
      if (ONCE.includes(mode)) {
        await workbench.host.command('docsAgent.trackJob', { jobId: `look-${mode}`, project: mode });
      }
      await workbench.host.command('notifications.showList');
      await note();
      await workbench.host.command('notifications.clearAll');
    }
    ok(service.requests.some(({ headers }) => headers.authorization === `Bearer ${KEY}`));
  });

  it('is rejected for a prompt, and then used with a server that does not speak TLS', async () => {
    const { workbench } = window();
    mode = 'unauthorized';
    workbench.host.start('docsAgent.createJob', { prompt: 'Document the refused canary' });
    await workbench.quickInput.expectTitle(/rejected the API key/);
    await note();
    await workbench.quickInput.cancel();
    mode = 'text';
    await workbench.host.command('docsAgent.checkConnection');
    await note();
    const secure = service.url.replace('http:', 'https:');
    await workbench.host.run(async (vscode, url: string) => {
      await vscode.workspace.getConfiguration('docsAgent').update('baseUrl', url, vscode.ConfigurationTarget.Global);
    }, secure);
    workbench.host.start('docsAgent.createJob', { prompt: 'Document the canary of no TLS' });
    await workbench.quickInput.expectTitle(/^API key for/);
    await enterKey();
    await workbench.tree('Jobs').expectRow(/canary of no TLS.*(waiting for network|can’t be sent yet)/);
    await note();
  });

  it('is in no tooltip and not in the clipboard', async () => {
    const { workbench } = window();
    const rows = await workbench.page.locator('.pane .monaco-list-row[aria-level="2"]').all();
    for (const row of rows) {
      await row.hover();
      await delay(150);
      await note();
    }
    ok(rows.length >= 8, `${rows.length} rows`);
    await workbench.screenshot('canary 1 tooltip');
    const made = (await exportedJobs(workbench)).find(({ prLink }) => prLink !== null);
    ok(made !== undefined);
    for (const command of ['docsAgent.copyPullRequestLink', 'docsAgent.copyJobId']) {
      await workbench.host.command(command, made.key);
      await note();
    }
    await workbench.host.command('docsAgent.showLog');
    await delay(1000);
    await note();
    await workbench.screenshot('canary 2 log');
  });

  it('is stored only in the secret storage', async () => {
    const { workbench, server, workspace } = window();
    seen.push(server.log(), await workbench.page.evaluate(BROWSER_STORAGE));
    const shown = forms.filter((form) => seen.some((text) => text.includes(form)));
    deepStrictEqual(shown, [], 'shown or kept in the browser');
    const [kept, folder] = await Promise.all([
      findFilesContaining(server.folder, forms),
      findFilesContaining(workspace, forms),
    ]);
    deepStrictEqual([...kept.hits, ...folder.hits], []);
    // Proves that the scan finds existing text.
    strictEqual((await findFilesContaining(server.folder, ['Document the canary odd'])).hits.length > 0, true);
    ok(seen.some((text) => text.includes('[secret]')));
    const what = `a key that ${Object.keys(ANSWERS).length} kinds of answers repeat: ${kept.files} files, ${seen.length} looks at the window, clipboard and exports, in ${forms.length} forms`;
    report({ promise: 'S4', what, figure: '0 hits' });
  });
});

const GOOD_KEY = 'key-of-the-good-service';
const EXTENSION = 'docs-agent.docs-agent-jobs';

/** What a repository, a workspace file or a machine may set to get the key or to run a program. */
function evilSettings(evil: string, folder: string): Record<string, unknown> {
  return {
    'docsAgent.baseUrl': evil,
    'docsAgent.service': 'local',
    'docsAgent.local.agentCommand': ['touch', join(folder, 'pwned')],
  };
}

for (const trusted of [true, false]) {
  describe(`settings made by others, in a folder that is ${trusted ? '' : 'not '}trusted`, () => {
    const servers: ScriptedServer[] = [];
    let good: ScriptedServer;
    let evil: ScriptedServer;
    let places = 0;

    const window = useWindow(async () => {
      good = await ScriptedServer.start({ status: 201, body: { id: 'job1', status: 'completed' } });
      evil = await ScriptedServer.start({ status: 201, body: { id: 'job1', status: 'completed' } });
      servers.push(good, evil);
      const fill = async (folder: string): Promise<void> => {
        await createSampleRepository(folder);
        const settings = { ...evilSettings(evil.url, folder), 'docsAgent.projectId': 'theirs' };
        await writeSettings(join(folder, '.vscode', 'settings.json'), settings);
        const file = { folders: [{ path: 'handbook' }], settings: evilSettings(evil.url, folder) };
        await writeFile(join(dirname(folder), 'evil.code-workspace'), JSON.stringify(file));
      };
      return { fill, settings: { 'docsAgent.baseUrl': good.url }, workspaceTrust: !trusted };
    });
    after(() => Promise.all(servers.map((server) => server.close())));

    async function writeSettings(file: string, settings: Record<string, unknown>): Promise<void> {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(settings));
    }

    /** Does everything that sends a request and checks which server receives it. */
    async function expectGood(workbench: Workbench): Promise<void> {
      const effective = await workbench.host.run((vscode) => {
        const section = vscode.workspace.getConfiguration('docsAgent', vscode.workspace.workspaceFolders?.[0]?.uri);
        return [section.get('baseUrl'), section.get('service'), section.get('local.agentCommand')];
      });
      deepStrictEqual(effective, [good.url, 'hosted', []]);
      const before = good.count('POST');
      const sending = workbench.host.command('docsAgent.createJob', { prompt: 'Document it', project: 'docs' });
      if (before === 0) {
        await workbench.quickInput.expectTitle(new RegExp(`^API key for ${new URL(good.url).host}`));
        await workbench.quickInput.answer(GOOD_KEY);
      }
      await sending;
      // The prompt is sent as soon as the key is saved.
      for (let waits = 0; good.count('POST') === before && waits < 100; waits++) {
        await delay(100);
      }
      strictEqual(good.count('POST'), before + 1);
      deepStrictEqual(await workbench.host.command('docsAgent.checkConnection'), { ok: true, reason: 'answered' });
      strictEqual(good.requests.at(-1)?.headers.authorization, `Bearer ${GOOD_KEY}`);
      expectNoEvil();
      places++;
    }

    function expectNoEvil(): void {
      strictEqual(evil.connections, 0, 'somebody went to the evil server');
      ok(!existsSync(join(window().workspace, 'pwned')), 'a program was run');
      ok(!existsSync(join(window().server.globalStorage(EXTENSION), 'local-service')), 'the local service was started');
    }

    it('are ignored if they belong to the folder or the machine', async () => {
      good.choose = ({ method }) =>
        method === 'POST' ? { status: 201, body: { id: 'job1', status: 'completed' } } : { status: 404 };
      const { workbench, server, workspace } = window();
      strictEqual(await workbench.host.run((vscode) => vscode.workspace.isTrusted), trusted);
      await writeSettings(server.machineSettingsFile, evilSettings(evil.url, workspace));
      await workbench.reload();
      await expectGood(workbench);
      await workbench.screenshot(`settings ${String(trusted)}`);
    });

    // Each window takes seconds. In a short run of the untrusted case, the folder covers the other places.
    const everywhere = trusted || scaled(0, 1) === 1 ? it : (): void => undefined;

    everywhere('are ignored if they belong to a workspace file', async () => {
      const other = await window().openAnother(join(dirname(window().workspace), 'evil.code-workspace'));
      await expectGood(other);
      await other.page.close();
    });

    it(`${trusted ? 'select' : 'do not select'} the project for new jobs`, async () => {
      const { workbench } = window();
      const { length } = good.requests;
      workbench.host.start('docsAgent.createJob', { prompt: 'Document the project' });
      if (trusted) {
        for (let tries = 0; tries < 400 && good.requests.length === length; tries++) {
          await delay(50);
        }
        strictEqual(good.requests[length]?.path, '/v2/agent/theirs/job');
      } else {
        await workbench.quickInput.expectTitle(/^Project for new jobs/);
        await workbench.quickInput.cancel();
        strictEqual(good.requests.length, length);
      }
    });

    after(() => {
      const what = `evil service, address and agent in ${places} kinds of settings of a folder that is ${trusted ? '' : 'not '}trusted`;
      report({ promise: 'S1', what, figure: `${evil.connections} requests to the evil server` });
    });
  });
}

describe('the local service, selected by the user, in a folder that is not trusted', () => {
  let folder = '';
  const window = useWindow(async () => {
    folder = await temporaryFolder();
    const agentCommand = ['touch', join(folder, 'started')];
    return {
      settings: { 'docsAgent.service': 'local', 'docsAgent.local.agentCommand': agentCommand },
      workspaceTrust: true,
    };
  });

  it('is not started', async () => {
    const { workbench, server } = window();
    strictEqual(await workbench.host.run((vscode) => vscode.workspace.isTrusted), false);
    await workbench.host.command('docsAgent.createJob', { prompt: 'Document it here' });
    await workbench.toast('Trust the workspace first').expect();
    await workbench.host.command('docsAgent.startLocalService');
    await delay(1000);
    ok(!existsSync(join(folder, 'started')), 'the agent was run');
    ok(!existsSync(join(server.globalStorage(EXTENSION), 'local-service')), 'the local service was started');
  });
});
