import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { isPathSafeId } from '../../../src/protocol/status';
import { hostileTexts } from '../../support/hostileText';
import { report, scaled, WAIT_LIMIT } from '../../support/scale';
import { type ScriptedAnswer, ScriptedServer, type SeenRequest } from '../../support/scriptedServer';
import { closeHover } from '../../support/vscode/widgets';
import { useWindow } from '../window';

/** How long the pointer rests on a row before it is moved there again, in milliseconds, and how often that is tried. */
const HOVER_LIMIT = 3_000;
const HOVERS = 3;

/** A command that would leave a visible trace in the window if it ran. */
const COMMAND = 'workbench.action.files.newUntitledFile';

describe('text from a hostile service', () => {
  const servers: ScriptedServer[] = [];
  let service: ScriptedServer;
  let probe: ScriptedServer;
  let texts: string[];
  let [links, icons] = [0, 0];
  const outside: string[] = [];
  const seen: Record<string, Set<string>> = {};

  const window = useWindow(async () => {
    service = await ScriptedServer.start();
    probe = await ScriptedServer.start({ body: '' });
    servers.push(service, probe);
    service.choose = answer;
    texts = hostileTexts(scaled(40, 500), probe.url, COMMAND);
    const looks = { 'workbench.hover.delay': 50, 'workbench.tree.enableStickyScroll': false };
    return { settings: { 'docsAgent.baseUrl': service.url, 'docsAgent.projectId': 'docs', ...looks } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  /** A job whose prompt begins with the index of a text, with a hostile text in each of its fields. */
  function job(index: number, status: string, id: string): ScriptedAnswer {
    const at = (offset: number): string => texts[(index + offset) % texts.length] ?? '';
    const source = { repository: at(1), ref: at(2) };
    return { status: 201, body: { id, status, source, prLink: at(3), model: at(4), error: at(5) } };
  }

  function answer({ method, path, body }: SeenRequest): ScriptedAnswer {
    if (method === 'GET') {
      const id = decodeURIComponent(path.split('/').at(-1) ?? '');
      const tracked = /^look-(\d+)$/.exec(id)?.[1];
      if (tracked !== undefined) {
        return { status: 400, body: { error: texts[Number(tracked)] } };
      }
      const made = /^(\d+) /.exec(id)?.[1];
      return made === undefined ? { status: 503 } : job(Number(made), (texts[Number(made)] ?? '').slice(0, 100), id);
    }
    const { prompt } = JSON.parse(body) as { prompt: string };
    const [, index = '0', kind] = /^(\d+)(!?)/.exec(prompt) ?? [];
    const text = texts[Number(index)] ?? '';
    const id = isPathSafeId(`${index} ${text}`) ? `${index} ${text}` : `${index} id`;
    return kind === '!' ? job(Number(index), 'failed', id) : job(Number(index), text.slice(0, 100) || 'odd', id);
  }

  async function look(): Promise<MarkupLeaks> {
    const marks = await findMarkupLeaks(window().workbench.page);
    const { texts: shown, ...bad } = marks;
    links += bad.links.length;
    icons += bad.icons.length;
    deepStrictEqual(bad, { links: [], icons: [], images: [], unseen: [] });
    for (const [place, found] of Object.entries(shown)) {
      found.forEach((text) => (seen[place] ??= new Set()).add(text));
    }
    return marks;
  }

  async function untilShown(place: string, what: RegExp, limit = WAIT_LIMIT): Promise<void> {
    const { page } = window().workbench;
    for (const end = Date.now() + limit; Date.now() < end;) {
      if ((await findMarkupLeaks(page)).texts[place]?.some((text) => what.test(text)) === true) {
        return;
      }
      await delay(30);
    }
    throw new Error(`no ${place} shows ${String(what)}`);
  }

  /** Returns whether the tooltip of the row with this index was shown. */
  async function hover(index: number): Promise<boolean> {
    const { page } = window().workbench;
    const row = page.locator(`.pane .monaco-list-row[aria-level="2"][aria-label^="${index} "]`).first();
    let isShown = false;
    for (let attempt = 0; attempt < HOVERS && !isShown; attempt++) {
      if (attempt > 0) {
        await closeHover(page);
      }
      // A row at the edge may move under the pointer. It gets another chance after the next scroll.
      await row.hover({ timeout: 2000 }).catch(() => undefined);
      isShown = await untilShown('tooltip', new RegExp(`\\b${index}\\s`), HOVER_LIMIT).then(
        () => true,
        () => false,
      );
      await look();
    }
    return isShown;
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

  it('stays plain text in rows, in the status bar and in accessible names', async function () {
    this.timeout(600_000);
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    // Most of the jobs belong to other projects than the window's.
    await workbench.host.command('docsAgent.viewOptions', { otherProjects: true });
    const first = workbench.host.command('docsAgent.createJob', { prompt: `0 ${texts[0] ?? ''}` });
    await workbench.quickInput.expectTitle(/^API key for/);
    await workbench.quickInput.answer('key-of-this-test');
    await first;
    for (const [index, text] of texts.entries()) {
      const project = isPathSafeId(text) ? text : `docs${index}`;
      await workbench.host.command('docsAgent.createJob', { prompt: `${index} ${text}`, project });
      if (index % 8 === 7 || index === texts.length - 1) {
        await untilShown('tree', new RegExp(`^${index} `));
        await look();
      } else {
        await look();
      }
    }
    ok((seen['tree']?.size ?? 0) >= texts.length && (seen['status']?.size ?? 0) > texts.length / 2);
    await workbench.screenshot('hostile text 1 rows');
  });

  it('stays plain text in tooltips', async function () {
    this.timeout(600_000);
    const { workbench } = window();
    const rows = workbench.page.locator('.pane .monaco-list-row[aria-level="2"]');
    await workbench.page.locator('.pane .monaco-list').first().focus();
    await workbench.page.keyboard.press('Home');
    // A tooltip shows six consecutive texts, so every fifth row covers all of them.
    const hovered = new Set<string>();
    for (let screen = 0; screen < texts.length; screen++) {
      const before = hovered.size;
      for (const row of await rows.all()) {
        const name = await row.getAttribute('aria-label').catch(() => null);
        const index = Number(/^(\d+) /.exec(name ?? '')?.[1] ?? Number.NaN);
        if (index % 5 !== 0 || hovered.has(String(index))) {
          continue;
        }
        if (await hover(index)) {
          hovered.add(String(index));
        }
      }
      await workbench.page.keyboard.press('PageDown');
      await delay(100);
      if (hovered.size === before && screen > 2) {
        break;
      }
    }
    ok(hovered.size >= (texts.length / 5) * 0.95, `${hovered.size} tooltips`);
    await workbench.screenshot('hostile text 2 tooltip');
    await workbench.page.mouse.move(900, 500);
  });

  it('stays plain text in notifications', async function () {
    this.timeout(600_000);
    const { workbench } = window();
    // The editor puts several notifications within a second into the notification list without showing them.
    const batch = 6;
    for (const index of texts.keys()) {
      await workbench.host.command('docsAgent.trackJob', { jobId: `look-${index}`, project: 'docs' });
      await look();
      if (index % batch === batch - 1 || index === texts.length - 1) {
        await workbench.host.command('notifications.showList');
        await untilShown('notifications', /couldn’t be added/);
        const shown = (await look()).texts['notifications']?.length;
        strictEqual(shown, (index % batch) + 1);
        if (index === 23) {
          await workbench.screenshot('hostile text 3 notifications');
        }
        await clearToasts();
      }
    }
    ok((seen['notifications']?.size ?? 0) >= texts.length * 0.9);
    for (const index of [0, 16]) {
      // The editor shows at most three notifications within 800 ms; the rest are only added to its list.
      await delay(1_000);
      await workbench.host.command('docsAgent.createJob', {
        prompt: `${index}! ${texts[index] ?? ''}`,
        project: 'ends',
      });
      await untilShown('toast', new RegExp(`Job failed: ${index}!`));
      await look();
      await clearToasts();
    }
    ok((seen['toast']?.size ?? 0) >= 2);
  });

  it('stays plain text in a pick and in the title of an input box', async function () {
    this.timeout(600_000);
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
    const { workbench } = window();
    strictEqual(probe.connections, 0);
    deepStrictEqual(outside, []);
    const tabs = await workbench.host.run((vscode) =>
      vscode.window.tabGroups.all.flatMap(({ tabs: open }) => open.length),
    );
    deepStrictEqual(
      tabs,
      [0].slice(0, tabs.length).map(() => 0),
    );
    const sinks = Object.entries(seen).map(([place, found]) => `${place} ${found.size}`);
    const what = `${texts.length} texts in the real window (${sinks.join(', ')})`;
    report({
      promise: 'S6',
      what,
      figure: `${links} links, ${icons} icons, ${probe.connections + outside.length} remote loads, 0 commands`,
    });
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
