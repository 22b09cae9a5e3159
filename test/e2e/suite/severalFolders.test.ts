import { deepStrictEqual, ok } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedServer } from '../../support/scriptedServer';
import type { Workbench } from '../../support/vscode/workbench';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

/** Makes a workspace of two folders, each with a project of its own, and returns its file. */
async function twoFolders(root: string): Promise<string> {
  for (const name of ['guide', 'reference']) {
    await mkdir(join(root, name, '.vscode'), { recursive: true });
    const settings = { 'docsAgent.projectId': `${name}-project` };
    await writeFile(join(root, name, '.vscode', 'settings.json'), JSON.stringify(settings));
    await writeFile(join(root, name, 'page.md'), `# A page of the ${name}\n`);
  }
  const file = join(root, 'two.code-workspace');
  await writeFile(file, JSON.stringify({ folders: [{ path: 'guide' }, { path: 'reference' }] }));
  return file;
}

/** On a busy machine the editor may bring up a workspace without its folders, and then never look for them again. */
async function withFolders(workbench: Workbench): Promise<Workbench> {
  const folder = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'reference' });
  const isThere = (): Promise<boolean> =>
    folder.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  for (let attempt = 0; attempt < 3 && !(await isThere()); attempt++) {
    await workbench.reload();
  }
  return workbench;
}

describe('a workspace of several folders', () => {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start();
    servers.push(server);
    return { settings: { 'docsAgent.baseUrl': server.url } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  it('asks which one a job is for, unless the active editor tells', async () => {
    const [service] = servers;
    ok(service !== undefined);
    service.answers = [{ status: 201, body: { id: 'a', status: 'completed' } }];
    const workbench = await withFolders(await window().openAnother(await twoFolders(window().workspace)));
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.pick('reference');
    await workbench.quickInput.expectTitle(/^New job for reference-project/);
    await workbench.quickInput.answer('Explain the reference');
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('secret-of-this-test');
    await workbench.statusBarItem('Job sent to reference-project').waitFor({ timeout: JOB_LIMIT });

    await workbench.editor.open('page.md');
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for guide-project/);
    await workbench.quickInput.answer('Explain the guide');
    await workbench.statusBarItem('Job sent to guide-project').waitFor({ timeout: JOB_LIMIT });
    deepStrictEqual(
      service.requests.filter(({ method }) => method === 'POST').map(({ path }) => path),
      ['/v2/agent/reference-project/job', '/v2/agent/guide-project/job'],
    );
  });
});
