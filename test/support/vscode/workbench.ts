import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { WAIT_LIMIT } from '../scale';
import type { ExtensionHost } from './extensionHosts';
import { outFolder } from './paths';
import type { VsCodeServer } from './server';
import { Editor, Notification, pickMenuEntry, QuickInput, toastsWith, TreeView } from './widgets';

/** One window, operated the way a person does. */
export class Workbench {
  readonly quickInput: QuickInput;
  readonly editor: Editor;

  private constructor(
    readonly page: Page,
    private readonly server: VsCodeServer,
    private currentHost: ExtensionHost,
  ) {
    this.quickInput = new QuickInput(page);
    this.editor = new Editor(page, () => this.currentHost);
  }

  /** The extension host of this window; replaced by a reload. */
  get host(): ExtensionHost {
    return this.currentHost;
  }

  /**
   * A browser profile. Windows that are opened in the same profile share secrets and global state, as the windows of
   * one desktop editor do. In a language other than English, the editor has no translations of its own here, but
   * requests those of extensions.
   */
  static async newProfile(browser: Browser, language?: string): Promise<BrowserContext> {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const profile = await browser.newContext({ viewport: { width: 1400, height: 900 }, permissions });
    profile.setDefaultTimeout(WAIT_LIMIT);
    await standInForFrontProcess(profile);
    if (language !== undefined) {
      await profile.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)};`);
    }
    return profile;
  }

  /** Opens a window and waits until its extension host runs. */
  static async open(profile: BrowserContext, server: VsCodeServer, content: WindowContent): Promise<Workbench> {
    const known = await server.hosts.pids();
    const page = await profile.newPage();
    await page.goto(workbenchUrl(server.port, content));
    const host = await server.hosts.next(known);
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    return new Workbench(page, server, host);
  }

  /** Reloads the window and waits for its new extension host. */
  async reload(): Promise<void> {
    const known = await this.server.hosts.pids();
    await this.page.reload();
    this.currentHost = await this.server.hosts.next(known);
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /** Runs a command from the palette, by its title with category ("Docs Agent: Create job"). */
  async palette(title: string): Promise<void> {
    const palette = this.page.locator('.quick-input-widget:visible');
    const row = palette.locator('.monaco-list-row', { has: this.page.getByText(title, { exact: true }) }).first();
    // Right after the window has opened the key press can get lost, and the list does not show commands registered
    // later.
    for (let attempt = 0; attempt < 16 && !(await row.isVisible()); attempt++) {
      if (!(await palette.isVisible())) {
        await this.page.keyboard.press('F1');
        await palette.waitFor({ timeout: 2_000 }).catch(() => undefined);
        continue;
      }
      // The palette closes when something else takes the focus, as a window does while it is still loading.
      await this.quickInput.fill(`>${title}`, 5_000).catch(() => undefined);
      await row.waitFor({ timeout: 5_000 }).catch(() => this.page.keyboard.press('Escape'));
    }
    await row.click();
  }

  /** Picks an entry of the open context menu. Several labels lead through submenus. */
  async pickFromMenu(...labels: string[]): Promise<void> {
    await pickMenuEntry(this.page, labels);
  }

  /** The toast whose text contains this. The editor hides it after 10 s. */
  toast(text: string | RegExp): Notification {
    return new Notification(toastsWith(this.page, text).first());
  }

  /** Opens the notification center and returns the notification there, where it stays after its toast has gone. */
  async notification(text: string | RegExp): Promise<Notification> {
    await this.host.command('notifications.showList');
    return new Notification(this.listed(text).first());
  }

  /** How many notifications with this text there are, including those whose toasts have gone. */
  async notificationCount(text: string | RegExp): Promise<number> {
    await this.host.command('notifications.showList');
    await this.page.locator('.notifications-center.visible').waitFor();
    const count = await this.listed(text).count();
    await this.host.command('notifications.hideList');
    return count;
  }

  /** The texts of all toasts that are currently shown. */
  async toastTexts(): Promise<string[]> {
    const messages = this.page.locator('.notifications-toasts .notification-list-item-message');
    return messages.allInnerTexts();
  }

  /** A tree view by the name in its header. Its container must be open. */
  tree(name: string): TreeView {
    return new TreeView(this.page, name);
  }

  /** Opens a view container of the activity bar, or closes it if it is open. */
  async activityBar(title: string): Promise<void> {
    await this.activityItem(title).click();
  }

  /** The number on a view container's icon; an empty string if there is none. */
  async badge(title: string): Promise<string> {
    const badge = this.activityItem(title).locator('.badge-content');
    return (await badge.isVisible()) ? badge.innerText() : '';
  }

  /** The status bar item whose accessible name or text contains this. */
  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** Presses a button of the modal dialog that contains this text. */
  async dialog(text: string | RegExp, button: string): Promise<void> {
    const dialog = this.page.locator('.monaco-dialog-box', { hasText: text });
    await dialog.locator('.monaco-button', { hasText: button }).click();
  }

  /** The content of the clipboard. */
  async clipboard(): Promise<string> {
    // The function runs in the page, whose types are not available here.
    return this.page.evaluate('navigator.clipboard.readText()');
  }

  /**
   * Runs an action that opens an external page and returns that page, which the caller closes. VS Code asks first,
   * unless the page's origin is loopback or among those that the server was told to trust.
   */
  async openedPage(during: () => Promise<unknown>): Promise<Page> {
    const [opened] = await Promise.all([this.page.context().waitForEvent('page'), during()]);
    await opened.waitForURL(/^https?:/, { waitUntil: 'commit' });
    return opened;
  }

  /** Saves a screenshot of the window in `out/screenshots` and returns its path. */
  screenshot(name: string): Promise<string> {
    return screenshotOf(this.page, name);
  }

  private listed(text: string | RegExp): Locator {
    return this.page.locator('.notifications-center .notification-list-item', { hasText: text });
  }

  /** Uses the whole item, because the badge covers its label. */
  private activityItem(title: string): Locator {
    const label = this.page.locator(`.action-label[aria-label^="${title}"]`);
    return this.page.locator('.activitybar li.action-item', { has: label });
  }
}

/** Returns the path of the picture. */
export async function screenshotOf(page: Page, name: string): Promise<string> {
  const folder = join(outFolder, 'screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.png`);
  await page.screenshot({ path });
  return path;
}

/**
 * The target of a path with which code-server's front process forwards a request to another port of this machine;
 * undefined for any other path. The workbench writes links to loopback addresses in this form.
 */
export function proxiedAddress(path: string): string | undefined {
  const [, port, rest] = /^\/proxy\/(\d+)(\/.*)$/.exec(path) ?? [];
  return port === undefined || rest === undefined ? undefined : `http://127.0.0.1:${port}${rest}`;
}

/**
 * Replaces code-server's front process, which is not running, for what the workbench requests from it: the key that
 * encrypts secrets, without which none would survive a reload, and the forwarding to loopback addresses.
 */
export async function standInForFrontProcess(context: BrowserContext): Promise<void> {
  await context.route('**/mint-key', (route) =>
    route.fulfill({ contentType: 'application/octet-stream', body: Buffer.alloc(32, 7) }),
  );
  await context.route(
    (url) => proxiedAddress(url.pathname) !== undefined,
    (route) => {
      const { pathname, search } = new URL(route.request().url());
      return route.fulfill({ status: 302, headers: { location: `${proxiedAddress(pathname) ?? '/'}${search}` } });
    },
  );
}

/** What a window opens, and options that only a server in suite mode accepts. */
export interface WindowContent {
  /** Absolute path of the workspace folder or of a `.code-workspace` file; an empty window when absent. */
  folder?: string | undefined;
  extensionDevelopmentPath?: readonly string[];
  extensionTestsPath?: string;
  /** Any other key of the payload. */
  payload?: readonly (readonly [string, string])[];
  connectionToken?: string;
}

/** The address of a window of the server on this port of 127.0.0.1. */
export function workbenchUrl(port: number, content: WindowContent = {}): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload = [
    ...(content.extensionDevelopmentPath ?? []).map((path) => ['extensionDevelopmentPath', remote(path)]),
    ...(content.extensionTestsPath === undefined ? [] : [['extensionTestsPath', remote(content.extensionTestsPath)]]),
    ...(content.payload ?? []),
  ];
  const url = new URL(`http://127.0.0.1:${port}/`);
  if (content.connectionToken !== undefined) {
    url.searchParams.set('tkn', content.connectionToken);
  }
  if (content.folder === undefined) {
    url.searchParams.set('ew', 'true');
  } else {
    url.searchParams.set(content.folder.endsWith('.code-workspace') ? 'workspace' : 'folder', content.folder);
  }
  if (payload.length > 0) {
    url.searchParams.set('payload', JSON.stringify(payload));
  }
  return url.href;
}

/**
 * Waits until nothing that the locator finds is visible. `waitFor` alone fails at once while there are two matches,
 * such as two comment threads that are about to be closed.
 */
export async function expectNone(locator: Locator): Promise<void> {
  await locator.filter({ visible: true }).first().waitFor({ state: 'detached' });
}
