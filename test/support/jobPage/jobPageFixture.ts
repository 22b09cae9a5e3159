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

const NONCE = 'n0nce';

export interface PageOptions extends BrowserContextOptions {
  theme?: ThemeName;
  width?: number;
  height?: number;
  /** The webview state that the editor kept when the page was closed. */
  state?: unknown;
  /** BCP 47. */
  language?: string;
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
    const { state, language = 'en', messages = [], isTimed = false, ...options } = more;
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
    this.documents.set(path, documentOf(this.origin, theme, language));
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

function documentOf(origin: string, theme: ThemeName, language: string): string {
  const { kind, variables } = THEMES[theme];
  const declared = Object.entries(variables).map(([name, value]) => `--vscode-${name}:${value};`);
  const policy = `default-src 'none'; img-src data:; style-src ${origin} 'nonce-${NONCE}'; script-src 'nonce-${NONCE}'`;
  return `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Job</title>
<style nonce="${NONCE}">:root{${declared.join('')}}body{padding:0 20px}</style>
<link rel="stylesheet" href="/jobPage.css"></head>
<body class="${kind}" data-job-key="key &quot;1&quot;"><script type="module" nonce="${NONCE}" src="/jobPage.js"></script></body></html>`;
}

/**
 * The variables that the editor gives a webview, as far as the page uses them, with the values of its built-in themes.
 */
export type ThemeName = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

interface Theme {
  /** The class that the editor puts on the body. */
  readonly kind: string;
  readonly variables: Readonly<Record<string, string>>;
}

const FONT = {
  'font-family': 'system-ui, "Ubuntu", "Open Sans", sans-serif',
  'font-size': '13px',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  'editor-font-size': '13px',
};

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    kind: 'vscode-dark',
    variables: {
      ...FONT,
      'editor-background': '#1f1f1f',
      foreground: '#cccccc',
      descriptionForeground: '#9d9d9d',
      errorForeground: '#f85149',
      'editorWarning-foreground': '#cca700',
      focusBorder: '#0078d4',
      'panel-border': '#2b2b2b',
      'charts-blue': '#59a4f9',
      'charts-green': '#89d185',
      'charts-red': '#f14c4c',
      'charts-yellow': '#cca700',
      'charts-purple': '#b180d7',
      'button-background': '#0078d4',
      'button-foreground': '#ffffff',
      'button-hoverBackground': '#026ec1',
      'button-border': 'rgba(255, 255, 255, 0.07)',
      'button-secondaryBackground': '#313131',
      'button-secondaryForeground': '#cccccc',
      'button-secondaryHoverBackground': '#3c3c3c',
      'input-background': '#313131',
      'input-foreground': '#cccccc',
      'input-border': '#3c3c3c',
      'input-placeholderForeground': '#989898',
      'textLink-foreground': '#4daafc',
      'textLink-activeForeground': '#4daafc',
      'textCodeBlock-background': '#2b2b2b',
      'list-hoverBackground': '#2a2d2e',
      'gitDecoration-addedResourceForeground': '#81b88b',
      'diffEditor-insertedTextBackground': 'rgba(156, 204, 44, 0.2)',
      'diffEditor-removedTextBackground': 'rgba(255, 0, 0, 0.2)',
      'gitDecoration-deletedResourceForeground': '#c74e39',
    },
  },
  light: {
    kind: 'vscode-light',
    variables: {
      ...FONT,
      'editor-background': '#ffffff',
      foreground: '#3b3b3b',
      descriptionForeground: '#3b3b3b',
      errorForeground: '#f85149',
      'editorWarning-foreground': '#bf8803',
      focusBorder: '#005fb8',
      'panel-border': '#e5e5e5',
      'charts-blue': '#0063d3',
      'charts-green': '#388a34',
      'charts-red': '#e51400',
      'charts-yellow': '#bf8803',
      'charts-purple': '#652d90',
      'button-background': '#005fb8',
      'button-foreground': '#ffffff',
      'button-hoverBackground': '#0258a8',
      'button-border': 'rgba(0, 0, 0, 0.1)',
      'button-secondaryBackground': '#e5e5e5',
      'button-secondaryForeground': '#3b3b3b',
      'button-secondaryHoverBackground': '#cccccc',
      'input-background': '#ffffff',
      'input-foreground': '#3b3b3b',
      'input-border': '#cecece',
      'input-placeholderForeground': '#767676',
      'textLink-foreground': '#005fb8',
      'textLink-activeForeground': '#005fb8',
      'textCodeBlock-background': '#f8f8f8',
      'list-hoverBackground': '#f2f2f2',
      'gitDecoration-addedResourceForeground': '#587c0c',
      'diffEditor-insertedTextBackground': 'rgba(156, 204, 44, 0.25)',
      'diffEditor-removedTextBackground': 'rgba(255, 0, 0, 0.2)',
      'gitDecoration-deletedResourceForeground': '#ad0707',
    },
  },
  highContrast: {
    kind: 'vscode-high-contrast',
    variables: {
      ...FONT,
      'editor-background': '#000000',
      foreground: '#ffffff',
      descriptionForeground: 'rgba(255, 255, 255, 0.7)',
      errorForeground: '#f48771',
      'editorWarning-foreground': '#ffd370',
      focusBorder: '#f38518',
      contrastBorder: '#6fc3df',
      contrastActiveBorder: '#f38518',
      'panel-border': '#6fc3df',
      'charts-blue': '#59a4f9',
      'charts-green': '#89d185',
      'charts-red': '#f48771',
      'charts-yellow': '#ffd370',
      'charts-purple': '#b180d7',
      'button-background': '#000000',
      'button-foreground': '#ffffff',
      'button-border': '#6fc3df',
      'button-secondaryForeground': '#ffffff',
      'input-background': '#000000',
      'input-foreground': '#ffffff',
      'input-border': '#6fc3df',
      'input-placeholderForeground': 'rgba(255, 255, 255, 0.7)',
      'textLink-foreground': '#21a6ff',
      'textLink-activeForeground': '#21a6ff',
      'textCodeBlock-background': '#000000',
      'gitDecoration-addedResourceForeground': '#a1e3ad',
      'diffEditor-insertedTextBorder': '#33ff2e',
      'diffEditor-removedTextBorder': '#ff008f',
      'gitDecoration-deletedResourceForeground': '#c74e39',
    },
  },
  highContrastLight: {
    kind: 'vscode-high-contrast-light',
    variables: {
      ...FONT,
      'editor-background': '#ffffff',
      foreground: '#292929',
      descriptionForeground: 'rgba(41, 41, 41, 0.7)',
      errorForeground: '#b5200d',
      'editorWarning-foreground': '#895503',
      focusBorder: '#006bbd',
      contrastBorder: '#0f4a85',
      contrastActiveBorder: '#006bbd',
      'panel-border': '#0f4a85',
      'charts-blue': '#0063d3',
      'charts-green': '#374e06',
      'charts-red': '#b5200d',
      'charts-yellow': '#895503',
      'charts-purple': '#652d90',
      'button-background': '#0f4a85',
      'button-foreground': '#ffffff',
      'button-border': '#0f4a85',
      'button-secondaryBackground': '#ffffff',
      'button-secondaryForeground': '#292929',
      'input-background': '#ffffff',
      'input-foreground': '#292929',
      'input-border': '#0f4a85',
      'input-placeholderForeground': 'rgba(41, 41, 41, 0.7)',
      'textLink-foreground': '#0f4a85',
      'textLink-activeForeground': '#0f4a85',
      'textCodeBlock-background': '#f2f2f2',
      'gitDecoration-addedResourceForeground': '#374e06',
      'diffEditor-insertedTextBorder': '#374e06',
      'diffEditor-removedTextBorder': '#ad0707',
      'gitDecoration-deletedResourceForeground': '#ad0707',
    },
  },
};
