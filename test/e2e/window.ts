import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { createSampleRepository } from '../support/temporaryRepository';
import { type BrowserChoice, launchBrowser } from '../support/vscode/browser';
import { installedExtensions } from '../support/vscode/paths';
import { scriptedServiceSettings, type ServerOptions, VsCodeServer } from '../support/vscode/server';
import { screenshotOf, Workbench } from '../support/vscode/workbench';

export interface WindowOptions extends Pick<
  ServerOptions,
  'settings' | 'trustedOrigins' | 'env' | 'workspaceTrust' | 'companions'
> {
  /** Fills the workspace folder before the window opens; when absent, it gets one documentation page. */
  fill?: (workspace: string) => Promise<unknown>;
  /** The display language, such as `de`; English when absent. */
  language?: string;
  /** Any browser when absent. */
  browser?: BrowserChoice;
}

/** The packaged extension in a fresh profile, with one window on its own workspace. */
export class TestWindow {
  private constructor(
    readonly server: VsCodeServer,
    readonly workbench: Workbench,
    /** The folder that is open in the window. */
    readonly workspace: string,
    readonly profile: BrowserContext,
    private readonly folder: string,
  ) {}

  /** Starts everything and opens the window. A failed start cleans up after itself. */
  static async open(options: WindowOptions = {}): Promise<TestWindow> {
    const extensions = installedExtensions();
    if (!existsSync(extensions)) {
      throw new Error('run these tests by `npm run test:e2e`, which packages the extension first');
    }
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'docs-agent-window-')));
    const workspace = join(folder, 'handbook');
    await mkdir(workspace);
    await (options.fill ?? fillWithPage)(workspace);
    const server = await VsCodeServer.start({ ...options, extensions });
    try {
      const browser = await sharedBrowser(options.browser);
      const profile = await Workbench.newProfile(browser, options.language);
      const workbench = await Workbench.open(profile, server, { folder: workspace });
      return new TestWindow(server, workbench, workspace, profile, folder);
    } catch (error) {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Opens a second window of the same editor, on the same workspace by default; a `.code-workspace` file is possible. */
  async openAnother(folder: string = this.workspace): Promise<Workbench> {
    const opened = await Workbench.open(this.profile, this.server, { folder });
    if (folder.endsWith('.code-workspace')) {
      const { folders } = JSON.parse(await readFile(folder, 'utf8')) as { folders: unknown[] };
      await reloadUntilFolders(opened, folders.length);
    }
    return opened;
  }

  /** Stops everything, including a local service that the extension may have started. */
  async close(): Promise<void> {
    await this.profile.close();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
  }
}

/** On a busy machine the editor may open a workspace without its folders and never load them; a reload fixes that. */
async function reloadUntilFolders(workbench: Workbench, wanted: number): Promise<void> {
  const areThere = async (): Promise<boolean> => {
    const count = (vscode: typeof import('vscode')): number => vscode.workspace.workspaceFolders?.length ?? 0;
    for (const end = Date.now() + 10_000; Date.now() < end && (await workbench.host.run(count)) < wanted;) {
      await delay(50);
    }
    return (await workbench.host.run(count)) === wanted;
  };
  for (let attempt = 0; attempt < 3 && !(await areThere()); attempt++) {
    await workbench.reload();
  }
}

/**
 * Registers hooks that open a window before the tests of this `describe`, close it after them, and take a screenshot of
 * each window when a test fails. Returns a function that gives the tests access to the window.
 */
export function useWindow(options: WindowOptions | (() => Promise<WindowOptions>) = {}): () => TestWindow {
  const opened: TestWindow[] = [];
  before(async () => {
    opened.push(await TestWindow.open(typeof options === 'function' ? await options() : options));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      const pages = opened[0]?.profile.pages() ?? [];
      for (const [index, page] of pages.entries()) {
        await screenshotOf(page, `failed ${this.currentTest.fullTitle()} ${index + 1}`);
      }
    }
  });
  after(async () => {
    await opened[0]?.close();
  });
  return () => {
    const window = opened[0];
    if (window === undefined) {
      throw new Error('the window is open only while tests run');
    }
    return window;
  };
}

const browsers = new Map<BrowserChoice, Promise<Browser>>();

/**
 * The browser that all windows of a run share. Windows could only affect each other through a profile, and each has its
 * own.
 */
function sharedBrowser(choice: BrowserChoice = 'any'): Promise<Browser> {
  const browser = browsers.get(choice) ?? launchBrowser([], choice);
  browsers.set(choice, browser);
  return browser;
}

after(async () => {
  await Promise.all([...browsers.values()].map(async (browser) => (await browser).close()));
});

async function fillWithPage(workspace: string): Promise<void> {
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
}

/**
 * Changes user settings of the extension (names without `docsAgent.`) as the settings editor does. `null` removes one.
 */
export async function changeSettings({ host }: Workbench, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await host.run(async (vscode, all: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(all)) {
      await vscode.workspace.getConfiguration('docsAgent').update(name, value ?? undefined, true);
    }
  }, changes);
}

/** A window on a sample repository. The real local service runs its jobs with the scripted agent. */
export function localWindow(): WindowOptions {
  return { fill: createSampleRepository, settings: scriptedServiceSettings() };
}

const TEMPLATE = 'Write the page.\n';

/** Fills a workspace with a documentation page and a team template. */
export async function fillWithTemplate(workspace: string): Promise<void> {
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
  await mkdir(join(workspace, '.docs-agent', 'prompts'), { recursive: true });
  await writeFile(join(workspace, '.docs-agent', 'prompts', 'Our guide.md'), TEMPLATE);
}
