import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../support/temporaryRepository';
import { scriptedServiceSettings } from '../../support/vscode/scriptedService';
import type { Workbench } from '../../support/vscode/workbench';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

const { 'docsAgent.local.agentCommand': agentCommand } = scriptedServiceSettings();

/** A step of the walkthrough that is open, checked off or not. */
const step = (id: string, done: boolean): string =>
  `.getting-started-step[data-step-id$="#docsAgent.${id}"] .codicon-getting-started-step-${done ? '' : 'un'}checked`;

async function openWalkthrough({ host }: Workbench): Promise<void> {
  await host.command('workbench.action.openWalkthrough', 'docs-agent.docs-agent-jobs#docsAgent.start');
}

describe('trying it on this machine, by keyboard', () => {
  const window = useWindow({ ...localWindow(), settings: { 'docsAgent.local.agentCommand': agentCommand } });

  it('begins with a walkthrough whose steps are open', async () => {
    const { workbench } = window();
    await openWalkthrough(workbench);
    for (const id of ['local', 'hosted', 'firstJob', 'firstReview']) {
      await workbench.page.locator(step(id, false)).first().waitFor();
    }
    await workbench.screenshot('first run 1 walkthrough');
  });

  it('finds agent and repository, starts the service, and only then writes the settings', async () => {
    const { workbench, server } = window();
    const { quickInput } = workbench;
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.answer('Local service');
    await quickInput.expectTitle('Which coding agent does the jobs?');
    await workbench.screenshot('first run 2 agents');
    await quickInput.back();
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.accept();
    await quickInput.expectTitle('Which coding agent does the jobs?');
    ok(!(await readFile(server.settingsFile, 'utf8')).includes('docsAgent.service'));
    await quickInput.answer('A program of your own');
    const notice = workbench.toast(/The local service runs\..* does the jobs of handbook/);
    await notice.expect(JOB_LIMIT);
    match(await readFile(server.settingsFile, 'utf8'), /"docsAgent.service": "local"/);
    await workbench.screenshot('first run 3 connected');
    await workbench.page.locator(step('local', true)).first().waitFor();
    await notice.click('Write first job');
    await quickInput.expectTitle(/^New job for handbook/);
    await quickInput.answer('Document the retry policy');
    await workbench.page.locator(step('firstJob', true)).first().waitFor();
  });

  it('checks off the review when the result is opened, and knows it after a reload', async () => {
    const { workbench } = window();
    const notice = workbench.toast(/Pull request ready.*Document the retry policy/);
    await notice.expect(JOB_LIMIT);
    const page = await workbench.openedPage(() => notice.click('Open pull request'));
    await page.close();
    await workbench.page.locator(step('firstReview', true)).first().waitFor();
    await workbench.reload();
    await openWalkthrough(workbench);
    for (const id of ['local', 'firstJob', 'firstReview']) {
      await workbench.page.locator(step(id, true)).first().waitFor();
    }
    strictEqual(await workbench.page.locator(step('hosted', true)).count(), 0);
    await workbench.screenshot('first run 4 checked off');
  });
});

describe('a walkthrough that is opened late, and a list that is read again', () => {
  const { settings, ...rest } = localWindow();
  const window = useWindow({ ...rest, settings: { ...settings, 'docsAgent.service': 'local' } });

  it('checks off what had happened before the walkthrough was opened first', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await workbench.host.command('docsAgent.createJob', { prompt: 'Document the retry policy' });
    await workbench.toast(/Pull request ready.*Document the retry policy/).expect(JOB_LIMIT);
    await openWalkthrough(workbench);
    for (const id of ['local', 'firstJob']) {
      await workbench.page.locator(step(id, true)).first().waitFor();
    }
    await workbench.page.locator(step('firstReview', false)).first().waitFor();
    await workbench.screenshot('first run 6 opened late');
  });

  it('says nothing of an empty list while a reloaded window does not know it yet', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await page.addInitScript(noteWelcomes);
    for (let time = 0; time < 3; time++) {
      await workbench.reload();
      await workbench.host.command('docsAgent.jobs.focus');
      await page.locator('.monaco-list-row', { hasText: 'Document the retry policy' }).first().waitFor();
      deepStrictEqual(await page.evaluate('[...welcomes]'), []);
    }
  });
});

describe('an empty list in a folder that is not trusted', () => {
  const { settings, ...rest } = localWindow();
  const window = useWindow({
    ...rest,
    settings: { ...settings, 'docsAgent.service': 'local', 'security.workspace.trust.startupPrompt': 'never' },
    workspaceTrust: true,
  });

  it('asks for trust, and for a first job as soon as it is given', async () => {
    const { workbench } = window();
    const { page } = workbench;
    await workbench.activityBar('Docs Agent');
    await page.locator('.welcome-view-content', { hasText: 'until you trust the workspace' }).waitFor();
    await page.locator('.welcome-view-content .monaco-button', { hasText: 'Manage Workspace Trust' }).click();
    await page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first()
      .click();
    await page.locator('.welcome-view-content', { hasText: 'an agent works on it in a private clone' }).waitFor();
  });
});

/** Runs in the page from its first moment: keeps each text that an empty list ever showed. */
const noteWelcomes = `{
  globalThis.welcomes = new Set();
  const look = () => {
    for (const each of document.querySelectorAll('.welcome-view-content')) {
      if (each.innerText.trim() !== '' && each.closest('.pane')?.querySelector('.pane-header[aria-label^="Jobs"]')) {
        globalThis.welcomes.add(each.innerText.trim());
      }
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
}`;

describe('what an empty list says', () => {
  const window = useWindow({
    fill: async (folder) => {
      await mkdir(join(folder, 'docs'));
      await writeFile(join(folder, 'docs', 'page.md'), '# A page\n');
    },
  });
  const change = async (settings: Record<string, unknown>): Promise<void> => {
    await window().workbench.host.run(async (vscode, changes: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(changes)) {
        await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
      }
    }, settings);
  };
  const says = async (text: string | RegExp, picture: string): Promise<void> => {
    const { workbench } = window();
    await workbench.page.locator('.welcome-view-content', { hasText: text }).waitFor();
    strictEqual((await workbench.tree('Jobs').welcome()).split('Docs Agent Jobs').length, 1);
    await workbench.screenshot(`welcome ${picture}`);
  };

  it('leads from nothing to a list that is ready, each time with the one next step', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await says('To begin, connect a hosted service', 'nothing');
    await change({ 'docsAgent.projectId': 'docs', 'workbench.colorTheme': 'Default Dark Modern' });
    await says('The project is set; the API key is missing', 'key missing dark');
    await workbench.host.command('docsAgent.showRemovedJobs');
    await says('No job was removed from the list', 'removed');
    await workbench.host.command('docsAgent.hideRemovedJobs');
    await workbench.host.command('docsAgent.filterJobs', { text: 'nothing like it' });
    await says('No job fits the filter', 'filtered');
    await workbench.host.command('docsAgent.clearFilter');
    await change({ 'docsAgent.service': 'local', 'workbench.colorTheme': 'Default High Contrast' });
    await says('this folder is none yet', 'no repository contrast');
  });

  it('is said by the flow, too, which looks again when asked', async () => {
    const { workbench, workspace } = window();
    const { quickInput } = workbench;
    await change({ 'docsAgent.local.agentCommand': agentCommand });
    await workbench.palette('Docs Agent: Connect…');
    await quickInput.expectTitle('Connect: who runs the jobs?');
    await quickInput.accept();
    await quickInput.expectTitle('Which coding agent does the jobs?');
    await quickInput.answer('A program of your own');
    await quickInput.expectTitle('The local service can’t be used yet');
    await workbench.screenshot('first run 5 no repository');
    await git(workspace, 'init', '--quiet');
    await git(workspace, 'add', '--all');
    await git(workspace, 'commit', '--quiet', '-m', 'Begin');
    await quickInput.answer('Look again');
    await workbench.toast(/The local service runs/).expect(JOB_LIMIT);
    await workbench.host.command('git.refresh').catch(() => undefined);
  });

  it('has the one next step for a local service that is ready, finds no agent or can’t run here', async () => {
    const { workbench } = window();
    const context = (name: string, value: boolean | string): Promise<unknown> =>
      workbench.host.run(
        async (vscode, [key, is]: [string, boolean | string]) => vscode.commands.executeCommand('setContext', key, is),
        [name, value] as [string, boolean | string],
      );
    await change({ 'workbench.colorTheme': 'Default Light Modern' });
    await says('an agent works on it in a private clone', 'local');
    await context('docsAgent.agentMissing', true);
    await says('has found no coding agent', 'no agent');
    await context('docsAgent.setup', 'localElsewhere');
    await says('on the other side of the connection', 'other side');
  });
});
