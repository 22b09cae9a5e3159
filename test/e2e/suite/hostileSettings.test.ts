import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { report, scaled } from '../../support/scale';
import { ScriptedServer } from '../../support/scriptedServer';
import { createSampleRepository } from '../../support/temporaryRepository';
import type { Workbench } from '../../support/vscode/workbench';
import { useWindow } from '../window';

const KEY = 'key-of-the-good-service';
const EXTENSION = 'docs-agent.docs-agent-jobs';

/** What a repository, a workspace file or a machine may hold to get the key or to run a program. */
function evilSettings(evil: string, folder: string): Record<string, unknown> {
  return {
    'docsAgent.baseUrl': evil,
    'docsAgent.service': 'local',
    'docsAgent.local.agentCommand': ['touch', join(folder, 'pwned')],
  };
}

for (const trusted of [true, false]) {
  describe(`settings of others, in a folder that is ${trusted ? '' : 'not '}trusted`, () => {
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

    /** Does all that sends something, and sees where it goes. */
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
        await workbench.quickInput.answer(KEY);
      }
      await sending;
      deepStrictEqual(await workbench.host.command('docsAgent.checkConnection'), { ok: true, reason: 'answered' });
      strictEqual(good.count('POST'), before + 1);
      strictEqual(good.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
      expectNoEvil();
      places++;
    }

    function expectNoEvil(): void {
      strictEqual(evil.connections, 0, 'somebody went to the evil server');
      ok(!existsSync(join(window().workspace, 'pwned')), 'a program was run');
      ok(!existsSync(join(window().server.globalStorage(EXTENSION), 'local-service')), 'the local service was started');
    }

    it('of the folder decide nothing', async () => {
      good.choose = ({ method }) =>
        method === 'POST' ? { status: 201, body: { id: 'job1', status: 'completed' } } : { status: 404 };
      const { workbench } = window();
      strictEqual(await workbench.host.run((vscode) => vscode.workspace.isTrusted), trusted);
      await expectGood(workbench);
      await workbench.screenshot(`settings ${String(trusted)}`);
    });

    // Each window takes seconds: where nothing is trusted the folder stands for the others in the short run.
    const everywhere = trusted || scaled(0, 1) === 1 ? it : (): void => undefined;

    everywhere('of the machine decide nothing', async () => {
      const { workbench, server, workspace } = window();
      await writeSettings(server.machineSettingsFile, evilSettings(evil.url, workspace));
      await workbench.reload();
      await expectGood(workbench);
    });

    everywhere('of a workspace file decide nothing', async () => {
      const other = await window().openAnother(join(dirname(window().workspace), 'evil.code-workspace'));
      await expectGood(other);
      await other.page.close();
    });

    it(`${trusted ? 'give' : 'do not give'} the project`, async () => {
      const { workbench } = window();
      const { length } = good.requests;
      void workbench.host.command('docsAgent.createJob', { prompt: 'Document the project' });
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

    if (!trusted) {
      it('leave the local service off, though the user has chosen it', async () => {
        const { workbench, server, workspace } = window();
        await server.changeSettings({
          'docsAgent.service': 'local',
          'docsAgent.local.agentCommand': ['touch', join(workspace, 'pwned')],
        });
        await workbench.reload();
        await workbench.host.command('docsAgent.createJob', { prompt: 'Document it here' });
        await workbench.toast('Trust the workspace first').expect();
        await workbench.host.command('docsAgent.startLocalService');
        await delay(1000);
        expectNoEvil();
      });
    }

    after(() => {
      const what = `evil service, address and agent in ${places} kinds of settings of a folder that is ${trusted ? '' : 'not '}trusted`;
      report({ promise: 'S1', what, figure: `${evil.connections} requests to the evil server` });
    });
  });
}
