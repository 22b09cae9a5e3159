import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { FromPage, PageModel, ToPage } from '../../../src/extension/features/job-page/model';
import { launchBrowser } from '../vscode/browser';
import { checkoutRoot } from '../vscode/paths';
import { SAMPLE_NOW } from './samplePage';
import { type ThemeName, THEMES } from './themes';

const NONCE = 'n0nce';

export interface PageOptions extends BrowserContextOptions {
  theme?: ThemeName;
  width?: number;
  height?: number;
  /** The webview state that the editor kept when the page was closed. */
  state?: unknown;
  /** The state that the extension puts into the document. */
  ofHost?: object;
  /** What the extension sends as soon as the page is ready. */
  messages?: readonly ToPage[];
  /** Whether time passes; otherwise it stands still until the page’s clock is told to run. */
  isTimed?: boolean;
}

/** The job page as the editor would show it, with everything that it sent and requested. */
export interface OpenPage {
  readonly page: Page;
  /** Requested paths, policy violations and script errors. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  readonly tell: (message: ToPage) => Promise<void>;
  readonly show: (model: PageModel) => Promise<void>;
  readonly told: () => Promise<FromPage[]>;
  readonly state: () => Promise<unknown>;
}

/** The built page in a real browser, with the same content security policy as in the editor and a fake editor API. */
export class JobPageFixture {
  private constructor(
    readonly browser: Browser,
    private readonly origin: string,
    private readonly stop: () => void,
    private readonly documents: Map<string, string>,
  ) {}

  static async start(): Promise<JobPageFixture> {
    const documents = new Map<string, string>();
    const files = { '/jobPage.js': 'text/javascript', '/jobPage.css': 'text/css' } as Record<string, string>;
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      const type = files[path];
      if (type !== undefined) {
        void readFile(join(checkoutRoot, 'dist', path)).then((body) =>
          response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body),
        );
      } else {
        const body = documents.get(path);
        response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = (): void => {
      server.closeAllConnections();
      server.close();
    };
    return new JobPageFixture(await launchBrowser(), origin, stop, documents);
  }

  /** Opens the page in a browser context of its own and waits until it is ready. */
  async open({ theme = 'dark', width = 800, height = 900, ...more }: PageOptions = {}): Promise<OpenPage> {
    const { state, ofHost, messages = [], isTimed = false, ...options } = more;
    const context = await this.browser.newContext({
      ...{ viewport: { width, height }, locale: 'en-GB', reducedMotion: 'reduce' as const },
      ...options,
    });
    const page = await context.newPage();
    if (!isTimed) {
      // The clock runs until it is paused, which takes a while on a slow machine.
      await page.clock.install({ time: SAMPLE_NOW - 600_000 });
      await page.clock.pauseAt(SAMPLE_NOW);
    }
    const path = `/${this.documents.size}`;
    this.documents.set(path, documentOf(this.origin, theme, ofHost));
    await page.addInitScript(fakeEditor(state, messages));
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => (message.type() === 'error' ? complaints.push(message.text()) : undefined));
    await page.goto(this.origin + path);
    const tell = async (message: ToPage): Promise<void> => {
      await page.evaluate(`window.take(${JSON.stringify(message)})`);
    };
    const show = (model: PageModel): Promise<void> => tell({ type: 'model', model });
    const told = (): Promise<FromPage[]> => page.evaluate<FromPage[]>('window.told');
    return { page, requests, complaints, tell, show, told, state: () => page.evaluate('window.kept') };
  }

  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.stop();
  }
}

/** A fake editor API. Delivers messages as the editor does, and resolves once the page has rendered. */
const fakeEditor = (state: unknown, messages: readonly ToPage[]): string => `
  window.told = [];
  window.kept = ${JSON.stringify(state)};
  let isTaken = false;
  window.acquireVsCodeApi = () => {
    if (isTaken) {
      throw new Error('the interface of the editor is handed out once');
    }
    isTaken = true;
    return {
      postMessage: (message) => {
        window.told.push(structuredClone(message));
        if (message.type === 'ready') {
          ${JSON.stringify(messages)}.forEach((each) => window.postMessage(each));
        }
      },
      getState: () => window.kept,
      setState: (value) => void (window.kept = structuredClone(value)),
    };
  };
  window.take = (data) =>
    new Promise((resolve) => {
      dispatchEvent(new MessageEvent('message', { data }));
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
`;

function documentOf(origin: string, theme: ThemeName, ofHost: object | undefined): string {
  const { kind, variables } = THEMES[theme];
  const declared = Object.entries(variables).map(([name, value]) => `--vscode-${name}:${value};`);
  const policy = `default-src 'none'; img-src data:; style-src ${origin} 'nonce-${NONCE}'; script-src 'nonce-${NONCE}'`;
  const state = ofHost === undefined ? '' : ` data-state="${JSON.stringify(ofHost).replaceAll('"', '&quot;')}"`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Job</title>
<style nonce="${NONCE}">:root{${declared.join('')}}body{padding:0 20px}</style>
<link rel="stylesheet" href="/jobPage.css"></head>
<body class="${kind}"${state}><script type="module" nonce="${NONCE}" src="/jobPage.js"></script></body></html>`;
}
