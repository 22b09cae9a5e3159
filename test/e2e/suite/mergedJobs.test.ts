import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from '../../support/certificates';
import { FaultProxy } from '../../support/faultProxy';
import { ScriptedServer } from '../../support/scriptedServer';
import { checkoutRoot } from '../../support/vscode/paths';
import { enterKey } from '../hostedWindow';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

/** Pull requests by their number, and how they stand. */
const PULLS: Record<string, object> = {
  '1': { state: 'closed', merged: true },
  '2': { state: 'closed', merged: false },
  '3': { state: 'open', merged: false },
};

/**
 * GitHub stands behind a proxy, with a certificate of an authority that this machine trusts: the product asks it by its own
 * name and none other.
 */
describe('jobs whose pull requests on GitHub are merged or closed', () => {
  const toClose: (() => Promise<unknown>)[] = [];
  let github: ScriptedServer | undefined;

  const window = useWindow(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'docs-agent-authority-'));
    const authority = await Authority.make('CN=Authority of the test');
    const file = join(folder, 'authorities.pem');
    await writeFile(file, authority.pem);
    const hosted = await ScriptedServer.start();
    let made = 0;
    hosted.choose = ({ method, path }) => {
      const id = path.split('/').at(-1) ?? '';
      return method === 'POST'
        ? { status: 201, body: { id: `job${++made}`, status: 'active' } }
        : { body: { id, status: 'completed', prLink: `https://github.com/acme/docs/pull/${id.slice(3)}` } };
    };
    github = await ScriptedServer.startSecure(await authority.issue({ hosts: ['api.github.com'] }));
    github.choose = ({ path }) => ({ body: PULLS[path.split('/').at(-1) ?? ''] ?? {} });
    const proxy = await FaultProxy.start({ port: Number(new URL(github.url).port) });
    const own = [hosted, github, proxy];
    toClose.push(...own.map((each) => () => each.close()), () => rm(folder, { recursive: true }));
    return {
      companions: [join(checkoutRoot, 'test/support/vscode/githubSessionExtension')],
      env: { SSL_CERT_FILE: file },
      settings: {
        'docsAgent.baseUrl': hosted.url,
        'docsAgent.projectId': 'docs-project',
        'docsAgent.notifications': 'off',
        'http.proxy': proxy.url,
      },
    };
  });
  after(() => Promise.all(toClose.map((close) => close())));

  const seen = (): ScriptedServer => {
    ok(github !== undefined);
    return github;
  };

  it('are asked for only once the user has let the extension use their account', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.activityBar('Docs Agent');
    await enterKey(workbench);
    for (const title of ['Explain what is merged', 'Explain what is closed', 'Explain what is open']) {
      void workbench.host.command('docsAgent.createJob', { prompt: title });
      await tree.expectRow(new RegExp(`${title}.*pull request ready`), JOB_LIMIT);
    }
    await workbench.host.command('docsAgent.refreshJobs');
    strictEqual(seen().requests.length, 0);
    strictEqual(await workbench.page.locator('.monaco-dialog-box').count(), 0, 'nobody is asked to sign in');
  });

  it('say so, and hide when the user wants that', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.palette('Docs Agent: Connect Code Host…');
    await workbench.quickInput.expectTitle('Connect a code host');
    await workbench.quickInput.answer('github.com');
    await workbench.quickInput.pick('Sign in with GitHub');
    await workbench.dialog(/GitHub/, 'Allow');
    await workbench.toast('open their pull requests on github.com').expect(JOB_LIMIT);
    // It asks again when the list comes into sight.
    await workbench.host.command('workbench.view.explorer');
    await workbench.host.command('docsAgent.jobs.focus');
    await tree.expectRow(/Explain what is merged.*merged/, JOB_LIMIT);
    await tree.expectRow(/Explain what is closed, closed/, JOB_LIMIT);
    await tree.expectRow(/Explain what is open.*pull request ready/);
    await workbench.screenshot('merged 1 said');
    await workbench.palette('Docs Agent: Hide Jobs That Are Merged or Closed');
    await tree.expectNoRow('Explain what is merged');
    await tree.expectNoRow('Explain what is closed');
    await tree.expectRow('Explain what is open');
    await workbench.screenshot('merged 2 hidden');
    // One that is open may be asked for again, where all this takes long.
    const asked = new Set(seen().requests.map(({ method, path }) => `${method} ${path}`));
    deepStrictEqual(
      [...asked].toSorted(),
      [1, 2, 3].map((number) => `GET /repos/acme/docs/pulls/${number}`),
    );
    ok(seen().requests.every(({ headers }) => headers.authorization === 'Bearer gho_session-of-this-test'));
  });
});
