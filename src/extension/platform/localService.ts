import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { delay, systemClock } from '../../base/async';
import { exists, makePrivateFolder, removeFile, replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import { processControl, processStartTime } from '../../base/process';
import type { LocalTarget } from '../../client';
import { endProcess, launchService, readPrivate, START_LIMIT_MS } from '../../client/localServiceProcess';
import { LOCAL_SERVICE } from '../../jobs/events';
import { ServiceError } from '../../protocol/errors';
import { LOCAL_KEY_PREFIX } from '../../protocol/localIds';
import type { ServiceInput, ServiceState } from '../../protocol/localService';
import type { ApiKeys } from './apiKeys';

export interface LocalServiceOptions {
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  /** A private folder for its data, log and state file. */
  folder: string;
  keys: ApiKeys;
  log: Logger;
  /** Whether this window may start it now; an untrusted workspace runs nothing. */
  mayStart: () => boolean;
  /** The version that would be started: numbers separated by dots. */
  release: string;
  /**
   * The maximum number of concurrent jobs, the time limit per message in milliseconds, and for how many days the folder
   * of a finished job is kept.
   */
  limits: () => { concurrency: number; turnMs: number; keepDays: number };
  /** Asks a service of an older version to shut down once it is idle. */
  retire: (target: LocalTarget) => Promise<void>;
  /** Called if the list of jobs was damaged and a new one was created, with the path of the damaged one. */
  onSetAside: (path: string) => void;
}

/** Finds the local service or starts it, detached so that it outlives this window. Starts at most one at a time. */
export class LocalService {
  private starting: Promise<LocalTarget> | undefined;
  /** The process that was asked to shut down for a newer version. */
  private retired: number | undefined;
  /** The process whose start time was verified, and when. Cached because the check starts a program on some systems. */
  private verified: { process: string; at: number } | undefined;
  /** Called when this window has started the service, which has no tokens yet. */
  onStarted: (target: LocalTarget) => void = () => undefined;

  constructor(private readonly options: LocalServiceOptions) {}

  /**
   * Returns the service's address; starts it if needed. Throws ServiceError of kind `unreachable` if it can't be
   * started.
   */
  async startOrConnect(): Promise<LocalTarget> {
    await removeFile(this.stopMark);
    return this.findOrStartOnce();
  }

  private findOrStartOnce(): Promise<LocalTarget> {
    this.starting ??= this.findOrStart().finally(() => (this.starting = undefined));
    return this.starting;
  }

  /** Like `startOrConnect`, for following jobs: does not restart a service that the user has stopped. */
  async connect(): Promise<LocalTarget> {
    const running = (await exists(this.stopMark)) ? await this.findRunning() : await this.findOrStartOnce();
    if (running === undefined) {
      throw unreachable('it was stopped');
    }
    return running;
  }

  /** From now on, only the next prompt or the user starts the service, not a window that follows jobs. */
  async markStopped(): Promise<void> {
    await replaceFile(this.stopMark, '');
  }

  /** Returns the running service; undefined if none of ours is running. */
  async findRunning(): Promise<LocalTarget | undefined> {
    // Read first, because a keyring may ask for a password: by then, another program could have the service's port.
    const apiKey = await this.options.keys.get(LOCAL_SERVICE);
    const state = apiKey === undefined ? undefined : await this.readState();
    return apiKey === undefined || state === undefined
      ? undefined
      : { baseUrl: `http://127.0.0.1:${state.port}`, apiKey };
  }

  /** Returns the state of a running service, after verifying that its process is alive and wrote the file. */
  async readState(): Promise<ServiceState | undefined> {
    const { serviceStateSchema } = await import('../../protocol/localService');
    const text = await readPrivate(join(this.options.folder, 'state.json'));
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

  /** Resolves when no service of ours is running, or after the time limit. */
  async untilGone(limitMs = 5000): Promise<void> {
    for (let waited = 0; waited < limitMs && (await this.readState()) !== undefined; waited += 50) {
      await delay(systemClock, 50);
    }
  }

  /** Records for all windows, and across reloads, that the user has stopped the service. */
  private get stopMark(): string {
    return join(this.options.folder, 'stopped');
  }

  private async findOrStart(): Promise<LocalTarget> {
    const running = await this.findRunning();
    if (running !== undefined && !(await this.hasMadeRoom(running))) {
      return running;
    }
    if (!this.options.mayStart()) {
      throw unreachable('the workspace is not trusted');
    }
    if ((await this.readState()) !== undefined) {
      // Another window may be about to store its key.
      const other = await this.findWithin(KEY_LIMIT_MS);
      if (other !== undefined) {
        return other;
      }
    }
    const orphan = await this.readState();
    if (orphan !== undefined) {
      // The editor's secret storage has lost the key of this service, so no window can connect to it.
      this.options.log.warn('the key of the running local service was lost; restarting it');
      await endProcess(orphan.pid);
    }
    return this.start();
  }

  /**
   * Asks a service of an older version, once, to shut down when it is idle. Returns true if it is gone. A busy one goes
   * on and takes new jobs; the first prompt after it has ended starts the new version.
   */
  private async hasMadeRoom(running: LocalTarget): Promise<boolean> {
    const { release, retire, mayStart, log } = this.options;
    const state = await this.readState();
    const { release: older = release, pid } = state ?? {};
    if (older.localeCompare(release, 'en', { numeric: true }) >= 0 || !mayStart() || this.retired === pid) {
      return false;
    }
    this.retired = pid;
    log.info(`the local service of version ${older} is replaced by ${release} when it’s idle`);
    try {
      await retire(running);
      await this.untilGone(RETIRE_LIMIT_MS);
      return (await this.readState()) === undefined;
    } catch (error) {
      log.warn('couldn’t ask the older local service to stop', error);
      return false;
    }
  }

  private async start(): Promise<LocalTarget> {
    const { program, folder, keys, log, release, limits } = this.options;
    const stored = await keys.get(LOCAL_SERVICE);
    const apiKey = stored ?? LOCAL_KEY_PREFIX + randomBytes(32).toString('hex');
    await makePrivateFolder(folder);
    const { concurrency, turnMs, keepDays } = limits();
    const numbers = ['--concurrency', concurrency, '--turn-timeout-ms', turnMs, '--keep-days', keepDays].map(String);
    const args = ['--keys-from-stdin', '--release', release, ...numbers];
    const input: ServiceInput = { keys: [{ key: apiKey }] };
    const ready = await launchService(program, folder, args, `${JSON.stringify(input)}\n`);
    if (ready === undefined) {
      const other = await this.findWithin(START_LIMIT_MS);
      if (other === undefined) {
        throw unreachable('another window is starting it');
      }
      return other;
    }
    if (stored === undefined) {
      await keys.set(LOCAL_SERVICE, apiKey);
    }
    log.info(`the local service listens on port ${ready.port}`);
    const target = { baseUrl: `http://127.0.0.1:${ready.port}`, apiKey };
    this.onStarted(target);
    if (ready.setAside !== undefined) {
      this.options.onSetAside(ready.setAside);
    }
    return target;
  }

  private async findWithin(limitMs: number): Promise<LocalTarget | undefined> {
    for (let waited = 0; waited < limitMs; waited += 100) {
      const found = await this.findRunning();
      if (found !== undefined) {
        return found;
      }
      await delay(systemClock, 100);
    }
    return undefined;
  }
}

/** How long to wait for an idle service of an older version to shut down, in milliseconds. */
const RETIRE_LIMIT_MS = 3000;

/** How long a window that has started the service may take to store its key, in milliseconds. */
const KEY_LIMIT_MS = 2000;

/** How long a verified process is trusted without a new check, in milliseconds. On Linux the check is free. */
const VERIFIED_FOR_MS = processControl().hasProc ? 0 : 5000;

function unreachable(detail: string): ServiceError {
  return new ServiceError('unreachable', { effect: 'none', code: 'LOCAL_SERVICE', detail });
}
