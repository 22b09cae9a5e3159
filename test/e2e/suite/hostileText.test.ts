import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { isPathSafeId } from '../../../src/protocol/status';
import { hostileTexts } from '../../support/hostileText';
import { report, scaled, WAIT_LIMIT } from '../../support/scale';
import { type ScriptedAnswer, ScriptedServer, type SeenRequest } from '../../support/scriptedServer';
import { closeHover } from '../../support/vscode/widgets';
import { enterKey } from '../hostedWindow';
import { useWindow } from '../window';

/** A command that would leave a visible trace in the window if it ran. */
const COMMAND = 'workbench.action.files.newUntitledFile';

/** The index of the job that fails. */
const FAILED = 1;

describe('text from a hostile service', function () {
  this.timeout(600_000);
  const servers: ScriptedServer[] = [];
  let probe: ScriptedServer;
  let texts: string[];
  const outside: string[] = [];
  const seen: Record<string, Set<string>> = {};

  const window = useWindow(async () => {
    const service = await ScriptedServer.start();
    probe = await ScriptedServer.start({ body: '' });
    servers.push(service, probe);
    service.choose = answer;
    texts = hostileTexts(scaled(24, 500), probe.url, COMMAND);
    const looks = { 'workbench.hover.delay': 50, 'workbench.tree.enableStickyScroll': false };
    return { settings: { 'docsAgent.baseUrl': service.url, 'docsAgent.projectId': 'docs', ...looks } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  /** Has a hostile text in each field. The prompt begins with the index of the first. */
  function answer({ method, path, body }: SeenRequest): ScriptedAnswer {
    const { prompt } = (method === 'GET' ? { prompt: path.split('/').at(-1) } : JSON.parse(body)) as { prompt: string };
    const index = Number(/\d+/.exec(prompt)?.[0]);
    const at = (offset: number): string => texts[(index + offset) % texts.length] ?? '';
    if (prompt.startsWith('missing')) {
      return { status: 400, body: { error: at(0) } };
    }
    const id = isPathSafeId(`${index} ${at(0)}`) ? `${index} ${at(0)}` : `${index} id`;
    const status = index === FAILED ? 'failed' : at(0).slice(0, 100);
    const source = { repository: at(1), ref: at(2) };
    return { status: 201, body: { id, status, source, prLink: at(3), model: at(4), error: at(5) } };
  }

  /** Fails if a text became more than text. Returns all that are shown, by place. */
  async function look(): Promise<MarkupLeaks['texts']> {
    const { texts: shown, ...leaks } = await findMarkupLeaks(window().workbench.page);
    deepStrictEqual(leaks, { links: [], icons: [], images: [], unseen: [] });
    for (const [place, found] of Object.entries(shown)) {
      found.forEach((text) => (seen[place] ??= new Set()).add(text));
    }
    return shown;
  }

  async function untilShown(place: string, what: RegExp): Promise<void> {
    const { page } = window().workbench;
    for (const end = Date.now() + WAIT_LIMIT; Date.now() < end;) {
      if ((await findMarkupLeaks(page)).texts[place]?.some((text) => what.test(text)) === true) {
        return;
      }
      await delay(30);
    }
    throw new Error(`no ${place} shows ${String(what)}`);
  }

  const clearToasts = (): Promise<unknown> => window().workbench.host.command('notifications.clearAll');

  it('is detected where it does become more than text (checks the detector itself)', async () => {
    const { workbench } = window();
    workbench.page.on('request', (request) => {
      const { hostname } = new URL(request.url());
      if (!['127.0.0.1', 'localhost', ''].includes(hostname)) {
        outside.push(request.url());
      }
    });
    await workbench.host.run((vscode, command: string) => {
      void vscode.window.showInformationMessage(`[Open](command:${command})`);
      void vscode.window.showQuickPick(['$(zap) icon']);
    }, COMMAND);
    await untilShown('toast', /Open/);
    await untilShown('pick', /icon/);
    const { links, icons } = await findMarkupLeaks(workbench.page);
    ok(links.some((link) => link.startsWith('toast:')) && icons.some((icon) => icon.startsWith('pick:')));
    await workbench.quickInput.cancel();
    await clearToasts();
  });

  it('stays plain text in rows, in the status bar, in a toast, and in accessible names', async () => {
    const { workbench } = window();
    await enterKey(workbench);
    await workbench.activityBar('Docs Agent');
    // Most of the jobs belong to other projects than the window's.
    await workbench.host.command('docsAgent.viewOptions', { otherProjects: true });
    for (const [index, text] of texts.entries()) {
      const project = isPathSafeId(text) ? text : `docs${index}`;
      await workbench.host.command('docsAgent.createJob', { prompt: `${index} ${text}`, project });
      if (index === FAILED) {
        await untilShown('toast', new RegExp(`Job failed: ${index} `));
      }
      await look();
    }
    await untilShown('tree', new RegExp(`^${texts.length - 1} `));
    await look();
    await workbench.screenshot('hostile text 1 rows');
    ok((seen['tree']?.size ?? 0) >= texts.length && (seen['status']?.size ?? 0) > texts.length / 2);
    await clearToasts();
  });

  it('stays plain text in tooltips', async () => {
    const { page } = window().workbench;
    // A tooltip shows six consecutive texts.
    const rows = await page.locator('.pane .monaco-list-row[aria-level="2"]').all();
    for (const row of rows.slice(0, 4)) {
      const index = /^\d+/.exec((await row.getAttribute('aria-label')) ?? '')?.[0] ?? '';
      await row.hover();
      await untilShown('tooltip', new RegExp(`\\b${index}\\s`));
      await look();
      await window().workbench.screenshot('hostile text 2 tooltip');
      await closeHover(page);
    }
  });

  it('stays plain text in notifications', async () => {
    const { workbench } = window();
    // The editor puts several notifications within a second into the notification list without showing them.
    const batch = 6;
    for (const index of texts.keys()) {
      await workbench.host.command('docsAgent.trackJob', { jobId: `missing-${index}`, project: 'docs' });
      await look();
      if (index % batch === batch - 1) {
        await workbench.host.command('notifications.showList');
        await untilShown('notifications', /couldn’t be added/);
        strictEqual((await look())['notifications']?.length, batch);
        await workbench.screenshot('hostile text 3 notifications');
        await clearToasts();
      }
    }
  });

  it('stays plain text in a pick and in the title of an input box', async () => {
    const { workbench } = window();
    workbench.host.start('docsAgent.sendFollowUp');
    await workbench.quickInput.expectTitle('Select a job to follow up on');
    for (let page = 0; page < texts.length && (seen['pick']?.size ?? 0) < texts.length; page++) {
      await look();
      await workbench.page.keyboard.press('PageDown');
      await delay(50);
    }
    ok((seen['pick']?.size ?? 0) >= texts.length, `${seen['pick']?.size ?? 0} picks`);
    await workbench.screenshot('hostile text 4 pick');
    await workbench.quickInput.accept();
    await workbench.quickInput.expectTitle(/^Follow-up to/);
    await look();
    await workbench.quickInput.cancel();
  });

  it('loaded nothing from other hosts and ran nothing', async () => {
    deepStrictEqual([probe.connections, outside], [0, []]);
    const tabs = await window().workbench.host.run((vscode) =>
      vscode.window.tabGroups.all.flatMap(({ tabs: open }) => open),
    );
    deepStrictEqual(tabs, []);
    const sinks = Object.entries(seen).map(([place, found]) => `${place} ${found.size}`);
    const what = `${texts.length} texts in the real window (${sinks.join(', ')})`;
    report({ promise: 'S6', what, figure: '0 links, 0 icons, 0 remote loads, 0 commands' });
  });
});

/** Where foreign text became more than plain text, over all parts of a window that show it. */
export interface MarkupLeaks {
  /** The texts that were checked, by place. */
  texts: Record<string, string[]>;
  links: string[];
  icons: string[];
  images: string[];
  /** Texts with invisible characters or characters that change the text direction. */
  unseen: string[];
}

/** Where foreign text is shown, and which icons in it belong to the extension. */
const PLACES = {
  toast: { text: '.notifications-toasts .notification-list-item-message', own: '' },
  notifications: { text: '.notifications-center .notification-list-item-message', own: '' },
  tree: { text: '.pane .monaco-list-row :is(.label-name, .label-description)', own: '' },
  pick: { text: '.quick-input-widget .monaco-list-row :is(.label-name, .label-description)', own: '' },
  title: { text: '.quick-input-widget .quick-input-title', own: '' },
  message: { text: '.quick-input-widget .quick-input-message', own: '' },
  status: {
    // The jobs item holds only the extension's own icons and numbers.
    text: '.statusbar-item[id^="docs-agent"]:not([id$="docsAgent.jobs"]), .statusbar-item[id="status.extensionMessage"]',
    own: '.codicon-check',
  },
  tooltip: { text: '.monaco-hover .hover-contents, .workbench-hover .hover-contents', own: '' },
  view: { text: '.pane .tree-explorer-viewlet-tree-view .message', own: '' },
} as const;

/** Reads the current content of the window. */
export function findMarkupLeaks(page: Page): Promise<MarkupLeaks> {
  // The function runs in the page, whose types are not the types of these sources. `__name` is a helper that the
  // bundler of the test may have inserted around function names.
  return page.evaluate(`((__name) => (${collect.toString()})(${JSON.stringify(PLACES)}))((value) => value)`);
}

/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-explicit-any */
function collect(places: Record<string, { text: string; own: string }>): MarkupLeaks {
  const page = (globalThis as any).document;
  const marks: MarkupLeaks = { texts: {}, links: [], icons: [], images: [], unseen: [] };
  for (const [place, { text, own }] of Object.entries(places)) {
    const elements: any[] = [...page.querySelectorAll(text)].filter((each: any) => each.offsetParent !== null);
    marks.texts[place] = elements.map((each) => each.innerText as string);
    for (const element of elements) {
      const found = (selector: string): string[] =>
        [...element.querySelectorAll(selector)].map((each: any) => `${place}: ${each.outerHTML as string}`);
      marks.links.push(...found(place === 'status' ? 'a[href]:not([href=""])' : 'a, [data-href], [role="link"]'));
      marks.icons.push(...found(own === '' ? '.codicon' : `.codicon:not(${own})`));
      marks.images.push(...found('img, picture, svg, iframe, script, style, [style*="url("], [onerror], details'));
      const aloud: string = element.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
      for (const told of [element.innerText as string, aloud]) {
        if (/\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/u.test(told)) {
          marks.unseen.push(`${place}: ${JSON.stringify(told)}`);
        }
      }
    }
  }
  return marks;
}
