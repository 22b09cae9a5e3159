import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, systemClock } from '../../base/async';
import { makePrivateFolder, PRIVATE_FILE, removeFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import { processControl, processStartTime } from '../../base/process';
import type { LocalTarget } from '../../client';
import { LOCAL_SERVICE } from '../../jobs/events';
import { ServiceError } from '../../protocol/errors';
import { LOCAL_KEY_PREFIX } from '../../protocol/localKey';
import type { ServiceInput, ServiceState } from '../../protocol/localService';
import type { ApiKeys } from './apiKeys';
import { endProcess, openLog, readPrivate, serviceEnvironment, START_LIMIT_MS, whenReady } from './localServiceProcess';

export interface LocalServiceOptions {
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  /** A folder of its own for its data, its log and its state file. */
  folder: string;
  keys: ApiKeys;
  log: Logger;
  /** Whether this window may start it now: a workspace that is not trusted runs nothing. */
  mayStart: () => boolean;
  /** The version that it would be started with: numbers with dots between. */
  release: string;
  /** How many jobs run at once, and how long one message may take, in milliseconds. */
  limits: () => { concurrency: number; turnMs: number };
  /** Asks a service of an older version to end when it has nothing to do. */
  retire: (target: LocalTarget) => Promise<void>;
  /** Called when this window has started it: it remembers no token. */
  onDidStart: (target: LocalTarget) => void;
  /** Called when the list of jobs was damaged, with where it is now; a new one has begun. */
  onSetAside: (path: string) => void;
}

/** Finds the local service, or starts it, so that it outlives this window. One start at a time. */
export class LocalService {
  private starting: Promise<LocalTarget> | undefined;
  /** The process that was asked to make room. */
  private retired: number | undefined;
  /** The process whose start time was checked, and when: asking for it starts a program on some systems. */
  private verified: { process: string; at: number } | undefined;

  constructor(private readonly options: LocalServiceOptions) {}

  /** Where it listens; started if need be. Throws ServiceError of kind `unreachable` when it can't be. */
  async ensure(): Promise<LocalTarget> {
    await this.stopMark.remove();
    return this.findOrStartOnce();
  }

  private findOrStartOnce(): Promise<LocalTarget> {
    this.starting ??= this.findOrStart().finally(() => (this.starting = undefined));
    return this.starting;
  }

  /** The same for following jobs, which does not undo that the user has stopped it. */
  async reach(): Promise<LocalTarget> {
    const running = (await this.stopMark.exists()) ? await this.find() : await this.findOrStartOnce();
    if (running === undefined) {
      throw new ServiceError('unreachable', { effect: 'none', code: 'LOCAL_SERVICE', detail: 'it was stopped' });
    }
    return running;
  }

  /** From now on it is started by the next prompt or by the user only, whichever window follows its jobs. */
  holdStopped(): Promise<void> {
    return this.stopMark.set();
  }

  /** The running service, or undefined when there is none that is ours. */
  async find(): Promise<LocalTarget | undefined> {
    const [state, apiKey] = await Promise.all([this.readState(), this.options.keys.get(LOCAL_SERVICE)]);
    if (state === undefined || apiKey === undefined) {
      return undefined;
    }
    return { baseUrl: `http://127.0.0.1:${state.port}`, apiKey };
  }

  /** The state of a service that runs: its process lives and is the one that wrote the file. */
  async readState(): Promise<ServiceState | undefined> {
    const { serviceStateSchema } = await import('../../protocol/localService');
    const text = await readPrivate(this.stateFile);
    const state = serviceStateSchema.safeParse(decodeJson(text));
    if (!state.success || state.data.ending === true) {
      return undefined;
    }
    const { pid, startTime } = state.data;
    const name = `${pid} ${startTime}`;
    const now = systemClock.monotonic();
    const isFresh = this.verified?.process === name && now - this.verified.at < VERIFIED_FOR_MS;
    if (!isFresh && (await processStartTime(pid)) !== startTime) {
      return undefined;
    }
    this.verified = isFresh ? this.verified : { process: name, at: now };
    return state.data;
  }

  /** Resolves when no service of ours runs, or after so many milliseconds. */
  async untilGone(limitMs = 5000): Promise<void> {
    for (let waited = 0; waited < limitMs && (await this.readState()) !== undefined; waited += 50) {
      await delay(systemClock, 50);
    }
  }

  private get stopMark(): StopMark {
    return new StopMark(this.options.folder);
  }

  private get stateFile(): string {
    return join(this.options.folder, 'state.json');
  }

  private async findOrStart(): Promise<LocalTarget> {
    const running = await this.find();
    if (running !== undefined && !(await this.hasMadeRoom(running))) {
      return running;
    }
    if (!this.options.mayStart()) {
      throw new ServiceError('unreachable', {
        effect: 'none',
        code: 'LOCAL_SERVICE',
        detail: 'the workspace is not trusted',
      });
    }
    if ((await this.readState()) !== undefined) {
      // Another window may just be about to keep its key.
      const other = await this.findWithin(KEY_LIMIT_MS);
      if (other !== undefined) {
        return other;
      }
    }
    const orphan = await this.readState();
    if (orphan !== undefined) {
      // It runs with a key that the editor's secret storage has lost, so nobody can speak to it any more.
      this.options.log.warn('the local service runs with a key that is lost; it is started anew');
      await endProcess(orphan.pid);
    }
    return this.start();
  }

  /**
   * A service of an older version is asked once to end when it has nothing to do. True when it is gone: one that works
   * goes on, takes new jobs, and the first prompt after its end starts the new version.
   */
  private async hasMadeRoom(running: LocalTarget): Promise<boolean> {
    const { release, retire, mayStart, log } = this.options;
    const state = await this.readState();
    const { release: older = release, pid } = state ?? {};
    if (compareVersions(older, release) >= 0 || !mayStart() || this.retired === pid) {
      return false;
    }
    this.retired = pid;
    log.info(`the local service of version ${older} makes room for ${release} when it has nothing to do`);
    try {
      await retire(running);
      await this.untilGone(RETIRE_LIMIT_MS);
      return (await this.readState()) === undefined;
    } catch (error) {
      log.warn('the older local service could not be asked to end', error);
      return false;
    }
  }

  private async start(): Promise<LocalTarget> {
    const { program, folder, keys, log, release, limits } = this.options;
    const stored = await keys.get(LOCAL_SERVICE);
    const apiKey = stored ?? LOCAL_KEY_PREFIX + randomBytes(32).toString('hex');
    await makePrivateFolder(folder);
    const logFile = await openLog(join(folder, 'service.log'));
    try {
      const { concurrency, turnMs } = limits();
      const files = ['--data', folder, '--state-file', this.stateFile, '--keys-from-stdin'];
      const numbers = { '--idle-minutes': IDLE_MINUTES, '--concurrency': concurrency, '--turn-timeout-ms': turnMs };
      const options = Object.entries(numbers).flatMap(([name, value]) => [name, String(value)]);
      const child = spawn(process.execPath, [program, ...files, '--release', release, ...options], {
        cwd: folder,
        detached: true,
        windowsHide: true,
        stdio: ['pipe', 'pipe', logFile.fd],
        env: serviceEnvironment(),
      });
      const input: ServiceInput = { keys: [{ key: apiKey }] };
      child.stdin?.on('error', () => undefined).end(`${JSON.stringify(input)}\n`);
      const ready = await whenReady(child);
      child.stdout?.destroy();
      child.unref();
      if (ready === undefined) {
        return await this.startedByOther();
      }
      if (stored === undefined) {
        await keys.set(LOCAL_SERVICE, apiKey);
      }
      log.info(`the local service listens on port ${ready.port}`);
      const target = { baseUrl: `http://127.0.0.1:${ready.port}`, apiKey };
      this.options.onDidStart(target);
      if (ready.setAside !== undefined) {
        this.options.onSetAside(ready.setAside);
      }
      return target;
    } finally {
      await logFile.close();
    }
  }

  /** Another window was first: its service and its key are the ones that count. */
  private async startedByOther(): Promise<LocalTarget> {
    const other = await this.findWithin(START_LIMIT_MS);
    if (other === undefined) {
      throw new ServiceError('unreachable', {
        effect: 'none',
        code: 'LOCAL_SERVICE',
        detail: 'another window is starting it',
      });
    }
    return other;
  }

  private async findWithin(limitMs: number): Promise<LocalTarget | undefined> {
    for (let waited = 0; waited < limitMs; waited += 100) {
      const found = await this.find();
      if (found !== undefined) {
        return found;
      }
      await delay(systemClock, 100);
    }
    return undefined;
  }
}

/** How long a service lives that nobody asks for anything, in minutes. */
const IDLE_MINUTES = 30;

/** How long a service of an older version may take to end that has nothing to do, in milliseconds. */
const RETIRE_LIMIT_MS = 3000;

/** Less than 0 when the first is older. */
function compareVersions(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

/** How long a window that has started the service may take to keep its key, in milliseconds. */
const KEY_LIMIT_MS = 2000;

/** How long a process that was checked counts as checked, in milliseconds; on Linux asking again costs nothing. */
const VERIFIED_FOR_MS = processControl().hasProc ? 0 : 5000;

/** Says to all windows, and after a reload, that the user has stopped the local service. */
export class StopMark {
  constructor(private readonly folder: string) {}

  async set(): Promise<void> {
    await makePrivateFolder(this.folder);
    await writeFile(this.file, '', { mode: PRIVATE_FILE });
  }

  async remove(): Promise<void> {
    await removeFile(this.file);
  }

  exists(): Promise<boolean> {
    return stat(this.file).then(
      () => true,
      () => false,
    );
  }

  private get file(): string {
    return join(this.folder, 'stopped');
  }
}
