import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedServer } from '../../support/scriptedServer';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

const RIGHT_KEY = 'right-key-of-this-test';

describe('connecting a hosted service by keyboard', () => {
  const servers: ScriptedServer[] = [];
  const service = (): ScriptedServer => {
    const [server] = servers;
    ok(server !== undefined);
    return server;
  };
  const window = useWindow(async () => {
    const server = await ScriptedServer.start();
    server.choose = ({ headers, method, path }) =>
      headers.authorization !== `Bearer ${RIGHT_KEY}`
        ? { status: 401, body: { error: 'expired' } }
        : method === 'POST'
          ? { status: 201, body: { id: 'job1', status: 'active' } }
          : path.endsWith('/job1')
            ? { body: { id: 'job1', status: 'completed' } }
            : { status: 404, body: { error: 'no such job' } };
    servers.push(server);
    return {};
  });
  after(() => Promise.all(servers.map((server) => server.close())));
  /** Those of ours. */
  const userSettings = async (): Promise<string> =>
    (await readFile(window().server.settingsFile, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('docsAgent'))
      .join('\n');

  it('leaves all as it was when it is left', async () => {
    const { workbench } = window();
    const before = await userSettings();
    await workbench.palette('Docs Agent: Connect…');
    const { quickInput } = workbench;
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await workbench.screenshot('connect 1 service');
    await quickInput.answer('another address');
    await quickInput.expectTitle('Address of the hosted service');
    await quickInput.answer('https://agents.example/api');
    await quickInput.expectTitle('Project for new jobs of handbook');
    await quickInput.cancel();
    await quickInput.expectClosed();
    strictEqual(await userSettings(), before);
  });

  it('checks the connection, goes back for the right key, and then writes', async () => {
    const { workbench, workspace } = window();
    const before = await userSettings();
    const { quickInput } = workbench;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.answer('another address');
    await quickInput.expectTitle('Address of the hosted service');
    await quickInput.answer('http://agents.example');
    await quickInput.expectMessage('must begin with https://');
    await workbench.screenshot('connect 2 address');
    await quickInput.answer(`${service().url}/api`);
    await quickInput.expectTitle('Project for new jobs of handbook');
    await quickInput.answer('mint_abcdefgh');
    await quickInput.expectMessage('looks like an API key');
    await quickInput.fill('docs-projekt');
    await quickInput.back();
    await quickInput.expectTitle('Address of the hosted service');
    strictEqual(await quickInput.value(), `${service().url}/api`);
    await quickInput.accept();
    await quickInput.expectTitle('Project for new jobs of handbook');
    strictEqual(await quickInput.value(), 'docs-projekt');
    await quickInput.answer('docs-project');
    await quickInput.expectTitle('Keep project docs-project where?');
    await workbench.screenshot('connect 3 scope');
    await quickInput.accept();
    await quickInput.expectTitle(/^API key for 127/);
    strictEqual(await quickInput.isPassword(), true);
    await quickInput.answer('wrong-key');
    await quickInput.expectMessage('The service rejected this key');
    await workbench.screenshot('connect 4 wrong key');
    strictEqual(await quickInput.value(), 'wrong-key');
    strictEqual(await userSettings(), before, 'nothing is written before the end');
    await quickInput.answer(RIGHT_KEY);

    const notice = workbench.toast(/Connected to 127\.0\.0\.1:\d+: the key was not rejected/);
    await notice.expect(JOB_LIMIT);
    await workbench.screenshot('connect 5 done');
    match(await userSettings(), new RegExp(`"docsAgent.baseUrl": "${service().url}/api"`));
    match(await readFile(join(workspace, '.vscode', 'settings.json'), 'utf8'), /"docsAgent.projectId": "docs-project"/);
    strictEqual(service().count('POST'), 0, 'a check is free of charge');
    deepStrictEqual(
      service().requests.map(({ headers, path }) => [headers.authorization, path.split('/job/')[0]]),
      [
        ['Bearer wrong-key', '/api/v2/agent/docs-project'],
        [`Bearer ${RIGHT_KEY}`, '/api/v2/agent/docs-project'],
      ],
    );
    await notice.click('Write first job');
    await quickInput.expectTitle(/^New job for docs-project/);
    await quickInput.answer('Document the first run');
    await workbench.activityBar('Docs Agent');
    await workbench.tree('Jobs').expectRow(/Document the first run.*finished/, JOB_LIMIT);
  });

  it('goes through again with Enter alone, with the key that is kept', async () => {
    const { workbench } = window();
    const { quickInput } = workbench;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.accept();
    await quickInput.expectTitle('Project for new jobs of handbook');
    strictEqual(await quickInput.value(), 'docs-project');
    await quickInput.accept();
    await quickInput.expectTitle(/^API key for 127/);
    strictEqual(await quickInput.value(), '');
    await quickInput.expectMessage('Leave this empty');
    await workbench.screenshot('connect 6 kept key');
    await quickInput.accept();
    await workbench.toast(/Key and project “docs-project” are good/).expect(JOB_LIMIT);
  });

  it('tells of an address that does not answer, and keeps what was typed without a check', async () => {
    const { workbench } = window();
    const { quickInput } = workbench;
    await service().close();
    servers.length = 0;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.accept();
    await quickInput.expectTitle('Project for new jobs of handbook');
    await quickInput.accept();
    await quickInput.expectTitle(/^API key for 127/);
    await quickInput.accept();
    await quickInput.expectTitle('Address of the hosted service');
    await quickInput.expectMessage('Press Enter to try again');
    await workbench.screenshot('connect 7 no answer');
    const before = await userSettings();
    await quickInput.fill('http://agents.example');
    await quickInput.press('Keep this without a check');
    await quickInput.expectMessage('must begin with https://');
    strictEqual(await userSettings(), before, 'nothing is written that is of no use');

    const other = await ScriptedServer.start();
    servers.push(other);
    other.choose = ({ method }) => ({
      status: method === 'POST' ? 201 : 200,
      body: { id: 'job2', status: 'completed' },
    });
    await quickInput.fill(other.url);
    await quickInput.press('Keep this without a check');
    await quickInput.expectTitle(/^API key for 127/);
    strictEqual(await quickInput.value(), '', 'the key of the other address stays there');
    await quickInput.answer('key-of-the-other');
    await workbench.toast('was not checked').expect(JOB_LIMIT);
    match(await userSettings(), new RegExp(`"docsAgent.baseUrl": "${other.url}"`));
    strictEqual(other.requests.length, 0);
    void workbench.host.command('docsAgent.createJob', { prompt: 'Document the second run' });
    await workbench.tree('Jobs').expectRow(/Document the second run.*finished/, JOB_LIMIT);
    ok(other.requests.every(({ headers }) => headers.authorization === 'Bearer key-of-the-other'));
  });
});
