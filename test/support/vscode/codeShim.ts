import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { standInForFrontProcess, workbenchUrl } from './workbench';
import { VsCodeServer } from './server';

/** The time limit of a suite, in milliseconds. */
const SUITE_LIMIT = 20 * 60_000;
const TIMED_OUT = 124;

interface ShimArguments {
  development: string[];
  tests: string;
  settings: Record<string, unknown>;
  folder: string | undefined;
}

/**
 * Stands in for the desktop `code` executable: accepts the arguments that `@vscode/test-electron` passes, runs the same
 * suite inside the extension host of a VS Code server with a headless browser as its window, prints the suite's output,
 * and returns its exit code.
 */
export async function codeShim(argv: readonly string[]): Promise<number> {
  const { development, tests, settings, folder } = await parseShimArguments(argv);
  const server = await VsCodeServer.start({ settings, suiteMode: true });
  try {
    const output = new HostOutput((text) => process.stdout.write(text));
    server.onOutput((text) => output.write(text));
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
      await standInForFrontProcess(context);
      const page = await context.newPage();
      const suite = await watchSuite(page);
      const content = { folder, extensionDevelopmentPath: development, extensionTestsPath: tests };
      await page.goto(workbenchUrl(server.port, { ...content, payload: [['debugId', 'tests']] }));
      return await suite.code;
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

async function parseShimArguments(argv: readonly string[]): Promise<ShimArguments> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: {
      extensionDevelopmentPath: { type: 'string', multiple: true },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
    },
  });
  const tests = values.extensionTestsPath;
  if (typeof tests !== 'string') {
    throw new Error('--extensionTestsPath is missing: this stand-in only runs test suites');
  }
  const userData = values['user-data-dir'];
  const folder = positionals[0];
  return {
    development: (values.extensionDevelopmentPath ?? []).filter((value) => typeof value === 'string').map(asPath),
    tests: asPath(tests),
    settings: typeof userData === 'string' ? await readSettings(userData) : {},
    folder: folder === undefined ? undefined : resolve(folder),
  };
}

function asPath(value: string): string {
  return value.startsWith('file:') ? fileURLToPath(value) : resolve(value);
}

async function readSettings(userData: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(userData, 'User', 'settings.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, unknown>;
}

/** Waits for the end of the suite: with a test driver enabled, the workbench calls these two functions of its page. */
async function watchSuite(page: Page): Promise<{ code: Promise<number> }> {
  const errors: string[] = [];
  const signals = new EventEmitter();
  const ended = once(signals, 'end');
  const timer = setTimeout(() => {
    process.stderr.write(`the suite did not end in ${SUITE_LIMIT / 60_000} minutes\n`);
    signals.emit('end', TIMED_OUT);
  }, SUITE_LIMIT);
  await page.exposeFunction('codeAutomationExit', (code: number) => {
    if (code !== 0) {
      process.stderr.write(errors.map((error) => `${error}\n`).join(''));
    }
    signals.emit('end', code);
  });
  await page.exposeFunction('codeAutomationLog', (type: string, args: string[]) => {
    const text = args.join(' ');
    if (type === 'error' && text.startsWith('[Extension Host]')) {
      errors.push(text);
      errors.splice(0, errors.length - 3);
    }
  });
  page.once('crash', () => signals.emit('error', new Error('the window crashed')));
  return { code: ended.then(([code]) => Number(code)).finally(() => clearTimeout(timer)) };
}

/**
 * Extracts the output of a test suite from the server's output. With a `debugId` in the payload, the extension host
 * repeats each console call on its own output, formatted, between two marker lines. The server adds its own prefix to
 * each.
 */
export class HostOutput {
  private rest = '';
  private block: string[] | undefined;

  constructor(private readonly print: (text: string) => void) {}

  /** Accepts the next chunk of the server's output, which may be cut anywhere. */
  write(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      this.line(line.replace(/^\[\d\d:\d\d:\d\d\] \[[^\]]*\]\[[^\]]*\]\[ExtensionHostConnection\] <\d+> ?/, ''));
    }
  }

  private line(line: string): void {
    if (line === 'START_NATIVE_LOG') {
      this.block = [];
    } else if (line === 'END_NATIVE_LOG') {
      this.print(`${withoutEmptyEnds(this.block ?? []).join('\n')}\n`);
      this.block = undefined;
    } else {
      this.block?.push(line);
    }
  }
}

function withoutEmptyEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}
