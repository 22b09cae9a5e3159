import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WAIT_LIMIT } from '../scale';

/** How long the window of a host may take to answer, in milliseconds, before the other hosts are tried. */
const ANSWER_LIMIT = 15_000;

type VsCode = typeof import('vscode');

interface HostFacts {
  port: number;
  pid: number;
  secret: string;
  workspace?: string;
  startedAt: number;
}

/** Runs code inside one extension host, through the test-only companion extension. */
export class ExtensionHost {
  constructor(readonly facts: HostFacts) {}

  /**
   * Calls `code` in the host. It is sent as text, so it can use only its two parameters and `require`. The argument and
   * the result must be serializable as JSON. Throws what `code` throws.
   */
  async run<A, R>(code: (vscode: VsCode, argument: A) => R, argument?: A): Promise<Awaited<R>> {
    const { status, body } = await this.post(JSON.stringify({ code: code.toString(), argument }));
    const answer: unknown = JSON.parse(body);
    if (status !== 200) {
      throw new Error(`in the extension host: ${String(answer)}`);
    }
    return answer as Awaited<R>;
  }

  /** Runs a command and returns its result, serialized as JSON. */
  async command(id: string, argument?: unknown): Promise<unknown> {
    return this.run(
      (vscode, call: { id: string; argument?: unknown }) => vscode.commands.executeCommand(call.id, call.argument),
      { id, argument },
    );
  }

  /** Starts a command that may not end before its window is closed. What it throws until then fails the test run. */
  start(id: string, argument?: unknown): void {
    this.command(id, argument).catch((error: unknown) => {
      const isClosed = (error as { code?: string }).code === 'ECONNRESET' || String(error).includes('Canceled');
      if (!isClosed) {
        throw error;
      }
    });
  }

  /** Whether the window of the host answers. A host that was killed or lost its window may still be announced. */
  async hasWindow(): Promise<boolean> {
    const code = '(vscode) => vscode.commands.getCommands().then(({ length }) => length)';
    return this.post(JSON.stringify({ code }), AbortSignal.timeout(ANSWER_LIMIT)).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  private async post(body: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: this.facts.secret };
      const options = { host: '127.0.0.1', port: this.facts.port, method: 'POST', agent: false, headers } as const;
      const outgoing = request({ ...options, ...(signal === undefined ? {} : { signal }) }, (response) => {
        const parts: string[] = [];
        response.setEncoding('utf8').on('data', (part: string) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parts.join('') }));
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }
}

/** Finds the extension hosts that have announced themselves in a folder. */
export class ExtensionHosts {
  constructor(private readonly folder: string) {}

  /** The pids of all hosts that are known now, which excludes those of later windows. */
  async pids(): Promise<number[]> {
    return (await this.all()).map((facts) => facts.pid);
  }

  /** Waits for a host that is not in `known` and has a window. Throws after `limit` milliseconds. */
  async next(known: readonly number[] = [], limit = WAIT_LIMIT): Promise<ExtensionHost> {
    const end = Date.now() + limit;
    while (Date.now() < end) {
      const found = (await this.all()).filter((facts) => !known.includes(facts.pid));
      for (const facts of found.sort((a, b) => b.startedAt - a.startedAt)) {
        const host = new ExtensionHost(facts);
        if (await host.hasWindow()) {
          return host;
        }
      }
      await delay(50);
    }
    throw new Error('no extension host came up in time');
  }

  private async all(): Promise<HostFacts[]> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => readFile(join(this.folder, name), 'utf8').catch(() => 'null')));
    return texts.map((text) => JSON.parse(text) as HostFacts | null).filter((facts) => facts !== null);
  }
}
