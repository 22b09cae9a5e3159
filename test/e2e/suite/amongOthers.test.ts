import { match, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type HostedPull, type HostedRepository, ReviewHost } from '../../support/reviewHost';
import { createSampleRepository, git, temporaryFolder } from '../../support/temporaryRepository';
import { JobPageFrame } from '../jobPageFrame';
import { useWindow } from '../window';

const PAGE = 'docs/index.md';

/** Writes what the prompt says after `write PATH:` to a file, and removes conflict markers from the file after `resolve`. */
const AGENT = `
const { readFileSync, writeFileSync } = require('node:fs');
const message = readFileSync(0, 'utf8').split('--- New message ---\\n').pop();
for (const [, path, text] of message.matchAll(/write (\\S+): (.*)/g)) {
  const long = text.replace(/(\\w)\\{(\\d+)\\}/, (_, letter, count) => letter.repeat(Number(count)));
  writeFileSync(path, long.replaceAll('|', '\\n') + '\\n');
}
for (const [, path] of message.matchAll(/Resolve the conflicts with \\S+ in (\\S+)\\./g)) {
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^(<<<<<<<|=======|>>>>>>>).*\\n/gm, ''));
}
if (message.includes('and wait')) {
  writeFileSync(__dirname + '/waits', '');
  setInterval(() => undefined, 1000);
}
console.log(message.includes('reach the limit') ? 'You’ve hit your session limit · resets in 2 hours' : 'I changed the page.');
`;

async function untilExists(file: string): Promise<void> {
  while (!existsSync(file)) {
    await delay(50);
  }
}

describe('a job among other people’s work', () => {
  let host: ReviewHost;
  let hosted: HostedRepository;
  let colleague: string;
  let home: string;
  const window = useWindow(async () => {
    host = await ReviewHost.start('gitea');
    home = await temporaryFolder();
    colleague = await temporaryFolder();
    const helper = '!f() { echo username=robin; echo password=a-token; }; f';
    const config = `[credential]\n\thelper = "${helper}"\n[user]\n\tname = Robin\n\temail = robin@docs.example\n`;
    await Promise.all([writeFile(join(home, '.gitconfig'), config), writeFile(join(home, 'agent.cjs'), AGENT)]);
    return {
      fill: async (workspace: string) => {
        await createSampleRepository(workspace);
        await mkdir(join(workspace, 'docs'), { recursive: true });
        await writeFile(join(workspace, PAGE), 'one\ntwo\nthree\n');
        await git(workspace, 'add', '--all');
        await git(workspace, 'commit', '--quiet', '-m', 'Write a page');
        hosted = await host.add('team/handbook', workspace);
        await git(workspace, 'remote', 'add', 'origin', `${hosted.url}.git`);
        await git(workspace, 'fetch', '--quiet');
        await git(colleague, 'clone', '--quiet', hosted.folder, '.');
      },
      settings: {
        'docsAgent.service': 'local',
        'docsAgent.local.agentCommand': [process.execPath, join(home, 'agent.cjs')],
        'docsAgent.local.publish': true,
      },
      env: { HOME: home },
    };
  });
  before(() => window().workbench.activityBar('Docs Agent'));
  after(() => host.close());

  const page = (): JobPageFrame => new JobPageFrame(window().workbench);
  const tree = () => window().workbench.tree('Jobs');
  const create = (prompt: string): void => window().workbench.host.start('docsAgent.createJob', { prompt });
  /** The user returns to the window again and again: the service looks at the host from time to time. */
  const expectSeen = async (name: RegExp): Promise<void> => {
    const row = window().workbench.page.getByRole('treeitem', { name });
    for (let tries = 0; tries < 70 && (await row.count()) === 0; tries++) {
      await window().workbench.host.command('docsAgent.refreshJobs');
      await delay(1000);
    }
    await row.waitFor({ timeout: 1000 });
  };
  const pull = (number: number): HostedPull => hosted.pulls[number - 1] ?? { ...({} as HostedPull) };
  /** Someone else's commit, pushed to the host. */
  const commit = async (branch: string, path: string, text: string, message: string): Promise<void> => {
    await git(colleague, 'fetch', '--quiet', 'origin');
    await git(colleague, 'checkout', '--quiet', '-B', branch, `origin/${branch}`);
    await writeFile(join(colleague, path), text);
    await git(colleague, 'add', '--all');
    await git(colleague, 'commit', '--quiet', '-m', message);
    await git(colleague, 'push', '--quiet', 'origin', branch);
  };
  const onHost = (branch: string, path = PAGE): Promise<string> => git(hosted.folder, 'show', `${branch}:${path}`);

  it('takes in a reviewer’s commit', async () => {
    const { workbench } = window();
    create(`Count in capitals\nwrite ${PAGE}: ONE|two|three`);
    await tree().expectRow(/Count in capitals.*pull request ready/);
    const { branch } = pull(1);
    await commit(branch, PAGE, 'ONE, as suggested\ntwo\nthree\n', 'Apply suggestion');
    await tree().click(/Count in capitals/);
    await page().expectState('Pull request ready');
    await page().box.fill('Add another page\nwrite docs/other.md: more');
    await page()
      .button(/^Send$/)
      .click();
    await page().expectText('Others have added commits to');
    await page().expectState('Pull request ready');
    await workbench.screenshot('among others 1 reviewer');
    strictEqual(await onHost(branch), 'ONE, as suggested\ntwo\nthree\n');
    strictEqual(await onHost(branch, 'docs/other.md'), 'more\n');
  });

  it('is brought up to date with its base, and has the agent resolve conflicts', async () => {
    const { workbench } = window();
    await commit('main', 'docs/new.md', 'new on main\n', 'Add a page');
    await expectSeen(/Count in capitals.*main has 1 new commit/);
    await page().expectText('main has 1 new commit');
    await workbench.screenshot('among others 2 moved base');
    await page().button('Update from main').click();
    await page().button('Update from main').waitFor({ state: 'hidden' });
    strictEqual(await onHost(pull(1).branch, 'docs/new.md'), 'new on main\n');
    await commit('main', PAGE, 'Uno\ntwo\nthree\n', 'In Spanish');
    await expectSeen(/Count in capitals.*1 conflict with main/);
    await workbench.screenshot('among others 3 conflict');
    await page().button('Ask the Agent to Resolve…').click();
    await workbench.quickInput.expectTitle(/^Follow-up to/);
    await workbench.quickInput.expectValue(`Resolve the conflicts with main in ${PAGE}.`);
    await workbench.screenshot('among others 4 conflict box');
    await workbench.quickInput.accept();
    await page().button('Ask the Agent to Resolve…').waitFor({ state: 'hidden' });
    await page().expectState('Pull request ready');
    match(await onHost(pull(1).branch), /Uno/);
  });

  it('says that its pull request was merged, and goes on with a new one', async () => {
    const { workbench } = window();
    ok(await hosted.merge(pull(1), 'squash', true));
    await expectSeen(/Count in capitals.*merged/);
    await page().expectText('#1 was merged: this starts from main on a new branch.');
    await workbench.screenshot('among others 5 merged');
    await page().box.fill('And one more\nwrite docs/third.md: third');
    await page()
      .button(/^Send$/)
      .click();
    await tree().expectRow(/Count in capitals.*continues #1/);
    await page().expectState('Pull request ready');
    await workbench.screenshot('among others 6 continues');
    strictEqual(pull(2).base, 'main');
  });

  it('says in the host’s words why a push was refused, and mends it in a follow-up', async () => {
    const { workbench } = window();
    await hosted.enforce('size');
    create('Add a table\nwrite docs/table.md: x{30000}');
    await tree().expectRow(/Add a table.*failed/);
    await tree().click(/Add a table/);
    await page().expectText(`${hosted.url}/rules/1`);
    await workbench.screenshot('among others 7 refused');
    await page().box.fill('Make it shorter\nwrite docs/table.md: x');
    await page()
      .button(/^Send$/)
      .click();
    await page().expectState('Pull request ready');
    strictEqual(await onHost(hosted.pulls.at(-1)?.branch ?? '', 'docs/table.md'), 'x\n');
  });

  it('shows what a stopped run has left, and keeps it as a branch or discards it', async () => {
    const { workbench } = window();
    const stopped = async (prompt: string): Promise<void> => {
      create(prompt);
      const row = new RegExp(`${prompt.slice(0, 12)}.*in progress`);
      await tree().expectRow(row);
      await tree().click(row);
      await untilExists(join(home, 'waits'));
      await rm(join(home, 'waits'));
      await page().button('Stop').click();
      await page().expectText('Not in a branch yet: 1 file');
    };
    await stopped('Write half a page and wait\nwrite docs/half.md: HALF A SENTENCE THAT');
    await page().expectText('Continues with 1 changed file of the stopped run.');
    await workbench.screenshot('among others 8 half-done');
    await page().button('Keep as a Branch').click();
    await page().button('Keep as a Branch').waitFor({ state: 'hidden' });
    await page().expectText('docs/half.md');
    await stopped('Write another half and wait\nwrite docs/half.md: ANOTHER');
    await page().button('Discard Changes…').click();
    await workbench.dialog(/Discard the changes that aren’t in a branch\? ?1 file/s, 'Discard');
    await page().button('Discard Changes…').waitFor({ state: 'hidden' });
  });

  it('says when a run resumes that a usage limit has put on hold', async () => {
    const { workbench } = window();
    create('Work until you reach the limit');
    await tree().expectRow(/Work until you.*resumes (at|on) /);
    await tree().click(/Work until you/);
    await page().expectState(/Resumes (at|on) /);
    await page().expectText(/This run is on hold until the agent’s usage limit is reset/);
    await workbench.screenshot('among others 9 on hold');
    await page().button('Stop').click();
    await page().expectState('Stopped');
  });
});
