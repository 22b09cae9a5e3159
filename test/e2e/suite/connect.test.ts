import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedServer } from '../../support/scriptedServer';
import { type Workbench } from '../../support/vscode/workbench';
import { git } from '../../support/temporaryRepository';
import { fillWithTemplate, localWindow, useWindow } from '../window';

const RIGHT_KEY = 'right-key-of-this-test';

/** The selector of a step in the open walkthrough, completed or not. */
const step = (id: string, done: boolean): string =>
  `.getting-started-step[data-step-id$="#docsAgent.${id}"] .codicon-getting-started-step-${done ? '' : 'un'}checked`;

async function openWalkthrough({ host }: Workbench): Promise<void> {
  await host.command('workbench.action.openWalkthrough', 'docs-agent.docs-agent-jobs#docsAgent.start');
}

describe('connecting, by keyboard', () => {
  const window = useWindow({ ...localWindow(), settings: {} });

  const servers: ScriptedServer[] = [];
  const service = (): ScriptedServer => {
    const [server] = servers;
    ok(server !== undefined);
    return server;
  };
  before(async () => {
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
  });
  after(() => Promise.all(servers.map((server) => server.close())));
  /** This extension's user settings. */
  const userSettings = async (): Promise<string> =>
    (await readFile(window().server.settingsFile, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('docsAgent'))
      .join('\n');

  it('opens a walkthrough with no step completed', async () => {
    const { workbench } = window();
    await openWalkthrough(workbench);
    for (const id of ['check', 'local', 'hosted', 'firstJob', 'firstReview']) {
      await workbench.page.locator(step(id, false)).first().waitFor();
    }
    await workbench.screenshot('first run 1 walkthrough');
  });

  it('takes the demo agent in an empty profile, finds the repository, starts the service, and only then writes the settings', async () => {
    const { workbench, server } = window();
    const { quickInput } = workbench;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: choose where jobs run');
    await quickInput.answer('Local service');
    await quickInput.expectTitle('Choose a coding agent');
    await workbench.screenshot('first run 2 agents');
    ok(!(await readFile(server.settingsFile, 'utf8')).includes('docsAgent.service'));
    await quickInput.answer('Demo agent');
    const notice = 'Demo agent (fixed rules, no model) handles jobs for handbook.';
    await workbench.toast(notice).expect();
    match(await readFile(server.settingsFile, 'utf8'), /"docsAgent.service": "local"/);
    await workbench.screenshot('first run 3 connected');
    await workbench.page.locator(step('local', true)).first().waitFor();
    await (await workbench.notification(notice)).click('New Job');
    await quickInput.expectTitle(/^New job for handbook/);
    await quickInput.answer('Document the retry policy');
    await workbench.page.locator(step('firstJob', true)).first().waitFor();
  });

  it('completes the review step when the result is opened, and remembers it after a reload', async () => {
    const { workbench } = window();
    const notice = workbench.toast(/Changes ready to review.*Document the retry policy/);
    await notice.expect();
    await notice.click('Review Changes');
    await workbench.page.locator('.multiDiffEntry:visible').first().waitFor();
    await workbench.host.command('workbench.action.closeActiveEditor');
    await openWalkthrough(workbench);
    await workbench.page.locator(step('firstReview', true)).first().waitFor();
    await workbench.reload();
    await openWalkthrough(workbench);
    for (const id of ['local', 'firstJob', 'firstReview']) {
      await workbench.page.locator(step(id, true)).first().waitFor();
    }
    strictEqual(await workbench.page.locator(step('hosted', true)).count(), 0);
    await workbench.screenshot('first run 4 checked off');
  });

  it('checks the connection to a hosted service, asks again after a wrong key, and only then writes the settings', async () => {
    const { workbench, workspace } = window();
    const before = await userSettings();
    const { quickInput } = workbench;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: choose where jobs run');
    await quickInput.answer('Other hosted');
    await quickInput.expectTitle('URL of the hosted service');
    await quickInput.answer('http://agents.example');
    await quickInput.expectMessage('must start with https://');
    await workbench.screenshot('connect 2 address');
    await quickInput.answer(`${service().url}/api`);
    await quickInput.expectTitle('Project for new jobs in handbook');
    await quickInput.answer('mint_abcdefgh');
    await quickInput.expectMessage('looks like an API key');
    await quickInput.answer('docs-project');
    await quickInput.expectTitle('Save project docs-project for…');
    await workbench.screenshot('connect 3 scope');
    await quickInput.accept();
    await quickInput.expectTitle(/^API key for 127/);
    strictEqual(await quickInput.isPassword(), true);
    await quickInput.answer('wrong-key');
    await quickInput.expectMessage('The service rejected this key');
    await workbench.screenshot('connect 4 wrong key');
    await quickInput.expectValue('wrong-key');
    strictEqual(await userSettings(), before, 'nothing is written before the end');
    await quickInput.answer(RIGHT_KEY);

    const notice = /Connected to 127\.0\.0\.1:\d+\. Project .+ will be verified when you send the first job/;
    await workbench.toast(notice).expect();
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
    await (await workbench.notification(notice)).click('New Job');
    await quickInput.expectTitle(/^New job for docs-project/);
    await quickInput.answer('Document the second run');
    await workbench.host.command('docsAgent.jobs.focus');
    await workbench.tree('Jobs').expectRow(/Document the second run.*finished/);
  });
});

describe('an untrusted folder', () => {
  const { settings, ...rest } = localWindow();
  const window = useWindow({
    ...rest,
    fill: async (workspace) => {
      await fillWithTemplate(workspace);
      await git(workspace, 'init', '--quiet');
      await git(workspace, 'add', '--all');
      await git(workspace, 'commit', '--quiet', '-m', 'Write a page');
    },
    settings: { ...settings, 'docsAgent.service': 'local', 'security.workspace.trust.startupPrompt': 'never' },
    workspaceTrust: true,
  });

  it('is not checked, and the command says why', async () => {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Check Documentation Against Code');
    const why = workbench.toast('Git commands are disabled in Restricted Mode. Trust the workspace first.');
    deepStrictEqual(await why.buttons(), ['Manage Workspace Trust']);
    await workbench.screenshot('documentation check 9 untrusted');
    await workbench.host.command('notifications.clearAll');
  });

  it('offers no team templates; an empty list asks for trust first and then for a first job', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.palette('Docs Agent: Add Context or Template…');
    await workbench.quickInput.pick('Template…');
    await workbench.quickInput.expectTitle('Insert prompt template');
    const rows = await workbench.quickInput.rows();
    ok(
      rows.some((row) => row.includes('Trust this workspace to use team templates')),
      rows.join('\n'),
    );
    ok(!rows.some((row) => row.includes('Our guide')));
    await workbench.quickInput.pick('Trust this workspace to use team templates');
    await page.locator('.workspace-trust-editor').waitFor();
    await workbench.host.command('workbench.action.closeAllEditors');
    await workbench.activityBar('Docs Agent');
    await page.locator('.welcome-view-content', { hasText: 'disabled in Restricted Mode' }).waitFor();
    await page.locator('.welcome-view-content .monaco-button', { hasText: 'Manage Workspace Trust' }).click();
    await page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first()
      .click();
    await page.locator('.welcome-view-content', { hasText: 'The agent works in a private clone' }).waitFor();
  });
});
