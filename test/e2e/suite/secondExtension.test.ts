import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DocsAgentApi, Job } from '../../../src/extension/api';
import type { JobsDocument } from '../../../src/extension/export/jobsDocument';
import { enterKey, useHostedWindow } from '../hostedWindow';

/** What the second extension, which is built in beside ours, saw of one call. */
interface Seen {
  job?: Job;
  error?: string;
}

describe('another extension', () => {
  const { window, server, prompts } = useHostedWindow();

  before(async () => {
    const { workbench } = window();
    await enterKey(workbench);
  });

  /** Calls one of our exports from there. */
  async function call(name: 'createJob' | 'sendFollowUp', ...given: string[]): Promise<Seen> {
    return window().workbench.host.run(
      async (vscode, { method, values }): Promise<Seen> => {
        const api = await vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate();
        const [first = '', second = ''] = values;
        try {
          if (api === undefined) {
            throw new Error('no exports');
          }
          return { job: await (method === 'createJob' ? api.createJob(first) : api.sendFollowUp(first, second)) };
        } catch (error) {
          return { error: error instanceof Error ? error.message : String(error) };
        }
      },
      { method: name, values: given },
    );
  }

  it('activates ours and follows the whole life of a job', async () => {
    const life = await window().workbench.host.run(async (vscode) => {
      const api = await vscode.extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate();
      if (api === undefined) {
        throw new Error('no exports');
      }
      const states: string[] = [];
      const keys = new Set<string>();
      const before = api.jobs.length;
      const ended = new Promise<void>((resolve) => {
        const listening = api.onDidChangeJob((job) => {
          keys.add(job.key);
          if (states.at(-1) !== job.status) {
            states.push(job.status);
          }
          if (job.status === 'completed') {
            listening.dispose();
            resolve();
          }
        });
      });
      const made = await api.createJob('Explain the exports');
      await ended;
      const { version, jobs } = api;
      return { version, before, made, states, keys: [...keys], jobs: [...jobs] };
    });
    strictEqual(life.version, 1);
    strictEqual(life.before, 0);
    deepStrictEqual(life.states, ['sending', 'active', 'completed']);
    deepStrictEqual(life.keys, [life.made.key]);
    deepStrictEqual([life.made.id, life.made.status, life.made.projectId], ['job1', 'active', 'docs-project']);
    deepStrictEqual(
      life.jobs.map(({ key, status, title, followUps }) => [key, status, title, followUps]),
      [[life.made.key, 'completed', 'Explain the exports', 0]],
    );
  });

  it('follows up by key and by id', async () => {
    server().choose = () => ({ body: { id: 'job1', status: 'active' } });
    const { key = '' } = (await call('sendFollowUp', 'job1', 'Add an example')).job ?? {};
    const second = await call('sendFollowUp', key, 'Add another');
    deepStrictEqual([second.job?.key, second.job?.followUps], [key, 2]);
    deepStrictEqual(prompts(), ['Explain the exports', 'Add an example', 'Add another']);
  });

  it('is told by an error only when nothing was kept', async () => {
    const before = prompts().length;
    for (const { error } of [
      await call('createJob', ' \n '),
      await call('sendFollowUp', 'job1', ''),
      await call('sendFollowUp', 'nobody', 'Add an example'),
    ]) {
      ok(error !== undefined);
    }
    strictEqual(prompts().length, before);
    server().choose = ({ method, path }) =>
      method === 'POST'
        ? { status: 400, body: { error: 'no' } }
        : { body: { id: path.split('/').at(-1), status: 'active' } };
    const refused = await call('createJob', 'Explain what is refused');
    deepStrictEqual([refused.error, refused.job?.status, refused.job?.id], [undefined, 'rejected', undefined]);
  });

  it('exports the list as JSON and as Markdown, without prompts', async () => {
    const { workbench, workspace } = window();
    const [json, markdown] = [join(workspace, 'jobs.json'), join(workspace, 'jobs.md')];
    const written = (path: string, format: string): Promise<unknown> =>
      workbench.host.command('docsAgent.exportJobs', { format, uri: pathToFileURL(path).href });
    strictEqual(await written(json, 'json'), pathToFileURL(json).href);
    await written(markdown, 'markdown');
    const document = JSON.parse(await readFile(json, 'utf8')) as JobsDocument;
    deepStrictEqual([document.format, document.version, document.jobs.length], ['docs-agent-jobs', 1, 2]);
    ok(document.jobs.some(({ id, title }) => id === 'job1' && title === 'Explain the exports'));
    strictEqual(JSON.stringify(document).includes('Add an example'), false);
    match(await readFile(markdown, 'utf8'), /^\| Job \| State \|.*\n\| --- .*\n\| Explain.*\n\| Explain.*\n$/);
  });

  it('gets no secret with the list', async () => {
    const { workbench, workspace } = window();
    const secret = ['ghp', 'A'.repeat(18) + 'b1'.repeat(9)].join('_');
    await call('createJob', `Explain ${secret} and secret-of-this-test`);
    const path = join(workspace, 'secrets.json');
    await writeFile(path, '');
    await workbench.host.command('docsAgent.exportJobs', { format: 'json', uri: pathToFileURL(path).href });
    const text = await readFile(path, 'utf8');
    strictEqual((JSON.parse(text) as JobsDocument).jobs.length, 3);
    strictEqual(text.includes(secret) || text.includes('secret-of-this-test'), false, text);
  });

  it('writes what a person chose in the dialogue', async () => {
    const { workbench, workspace } = window();
    await workbench.activityBar('Docs Agent');
    await workbench.palette('Docs Agent: Export Jobs…');
    const dialogue = workbench.page.locator('.quick-input-widget:visible', { hasText: 'Export jobs as' });
    // The dialogue writes its own proposal into the box when it has read the folder.
    await dialogue.locator('.monaco-list-row', { hasText: 'readme.md' }).waitFor();
    await workbench.quickInput.fill(join(workspace, 'mine.md'));
    await workbench.screenshot('export 1 dialogue');
    await dialogue.locator('.monaco-button', { hasText: 'OK' }).click();
    await workbench.toast(/3 jobs were written to mine\.md, by name and without their prompts/).expect();
    match(await readFile(join(workspace, 'mine.md'), 'utf8'), /^\| Job \|/);
    await workbench.screenshot('export 2 written');
  });
});

it('the types of the exports can be copied: they need nothing but those of the editor', async () => {
  const text = await readFile('src/extension/api.ts', 'utf8');
  deepStrictEqual(text.match(/^import .*$/gm), ["import type { Event } from 'vscode';"]);
  deepStrictEqual(text.match(/^(?!export (type|interface)|import|\/|\s|\}|$).+/gm), null);
});
