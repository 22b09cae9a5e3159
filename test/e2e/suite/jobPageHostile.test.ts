import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../../src/extension/ids';
import type { JobEvent } from '../../../src/jobs/events';
import { writeJob } from '../../support/finishedJobs';
import { hostileTexts } from '../../support/hostileText';
import { report, scaled } from '../../support/scale';
import { ScriptedServer } from '../../support/scriptedServer';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

/** It would show in the window had it run. */
const COMMAND = 'workbench.action.files.newUntitledFile';

/** So many texts stand on one page. */
const PER_PAGE = 8;

describe('hostile text on the page of a job', () => {
  const servers: ScriptedServer[] = [];
  const pages = scaled(12, 60);
  let texts: string[] = [];
  const window = useWindow();

  before(async () => {
    const probe = await ScriptedServer.start({ body: '' });
    servers.push(probe);
    texts = hostileTexts(pages * PER_PAGE, probe.url, COMMAND);
    const { server, workbench } = window();
    const root = join(server.globalStorage(EXTENSION_ID), 'jobs');
    await mkdir(`${root}-new`, { recursive: true });
    for (let index = 0; index < pages; index++) {
      await writeJob(`${root}-new`, key(index), events(index));
    }
    await rename(`${root}-new`, root);
    await workbench.reload();
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const key = (index: number): string => `hostile${String(index).padStart(12, '0')}`;

  function events(index: number): JobEvent[] {
    const text = (offset: number): string => texts[index * PER_PAGE + offset] ?? '';
    const at = Date.now() - 60_000;
    const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: text(0) || 'p' };
    const seen = { prLink: text(1), ref: text(2), repository: text(3), model: text(4), createdAt: null };
    const id = `j${index}`;
    return [
      { type: 'send', at, send: 's', kind: 'create', prompt: text(5), home },
      { type: 'created', at: at + 1000, send: 's', job: { id, status: 'active', ...seen, error: null }, home },
      {
        type: 'changed',
        at: at + 2000,
        run: 's',
        job: { id, status: 'failed', ...seen, error: text(6), note: text(7) },
        end: true,
      },
      { type: 'renamed', at: at + 3000, title: `${index} ${text(6)}` },
    ];
  }

  it('stays text: it runs nothing, loads nothing and becomes no link', async function () {
    this.timeout(600_000);
    const { workbench } = window();
    const dialogs: string[] = [];
    workbench.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const page = new JobPageFrame(workbench);
    for (let index = 0; index < pages; index++) {
      await workbench.host.command('docsAgent.showJob', { jobKey: key(index), glance: true });
      await page.frame.locator('h1', { hasText: new RegExp(`^${index} `) }).waitFor({ timeout: JOB_LIMIT });
      const found = await page.frame
        .locator(
          'a[href], img, iframe, object, embed, form, image, base, meta[http-equiv=refresh], [onerror], [ontoggle]',
        )
        .evaluateAll((elements) => elements.map((element) => String(element)));
      deepStrictEqual(found, []);
      const shown = await page.frame.locator('body').innerText();
      ok(!/\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/u.test(shown), JSON.stringify(shown));
      if (index === 3) {
        await workbench.screenshot('job page hostile');
      }
    }
    deepStrictEqual(dialogs, []);
    strictEqual(servers[0]?.connections, 0);
    deepStrictEqual((await page.tabs()).length, 1);
    const what = `${texts.length} texts on ${pages} pages of jobs in the real window`;
    report({ promise: 'S6', what, figure: '0 links, 0 remote loads, 0 scripts, 0 commands' });
  });
});
