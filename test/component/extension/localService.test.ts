import { deepStrictEqual, match, notEqual, rejects, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LocalServiceClient } from '../../../src/client/localServiceClient';
import { Transport } from '../../../src/client/transport';
import type { ApiKeys } from '../../../src/extension/platform/apiKeys';
import { LocalService } from '../../../src/extension/platform/localService';
import { ServiceError } from '../../../src/protocol/errors';

const program = fileURLToPath(new URL('../../../dist/service.mjs', import.meta.url));
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The secret storage of one editor, shared by its windows. */
function secrets(): { keys: ApiKeys; stored: Map<string, string> } {
  const stored = new Map<string, string>();
  const keys = {
    get: (service: string) => Promise.resolve(stored.get(service)),
    set: (service: string, key: string) => Promise.resolve(void stored.set(service, key)),
  } as unknown as ApiKeys;
  return { keys, stored };
}

describe('LocalService', () => {
  const transport = new Transport();
  const client = new LocalServiceClient(transport);
  let folder: string;
  let shared: ReturnType<typeof secrets>;
  let trusted: boolean;
  let starts = 0;
  const setAside: string[] = [];
  const window = (release = '0.1.0'): LocalService => {
    const service = new LocalService({
      ...{ program, folder, keys: shared.keys, log, mayStart: () => trusted, release },
      limits: () => ({ concurrency: 2, turnMs: 60_000, keepDays: 30 }),
      retire: (target) => client.shutdown(target, 'idle'),
      onSetAside: (path) => setAside.push(path),
    });
    service.onStarted = () => void starts++;
    return service;
  };

  before(function () {
    if (!existsSync(program) || !isBuiltin('node:sqlite')) {
      // Requires the built service and a Node with SQLite; `npm test` provides both.
      this.skip();
    }
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docs-agent-local-'));
    shared = secrets();
    trusted = true;
  });
  afterEach(async () => {
    const running = await window().findRunning();
    if (running !== undefined) {
      await client.shutdown(running);
      await window().untilGone();
    }
    await rm(folder, { recursive: true, force: true });
  });
  after(() => transport.dispose());

  it('reports once where a damaged database was moved', async () => {
    await writeFile(join(folder, 'docs-agent-data'), '');
    await writeFile(join(folder, 'service.db'), 'no database '.repeat(1000));
    const running = await window().startOrConnect();
    strictEqual(setAside.length, 1);
    match(setAside[0] ?? '', /service\.db\.damaged-/);
    strictEqual(existsSync(setAside[0] ?? ''), true);
    match(await readFile(join(folder, 'service.log'), 'utf8'), /The job list was damaged and was saved as/);
    await client.shutdown(running);
    await window().untilGone();
    await window().startOrConnect();
    strictEqual(setAside.length, 1);
  });

  it('finds no service that ended while the key was being read', async () => {
    const running = await window().startOrConnect();
    shared.keys.get = async (service) => {
      await client.shutdown(running);
      await window().untilGone();
      return shared.stored.get(service);
    };
    strictEqual(await window().findRunning(), undefined);
    shared = secrets();
  });

  it('starts with a 256-bit random key that appears in no file and no command line', async () => {
    const target = await window().startOrConnect();
    match(target.apiKey, /^local_[0-9a-f]{64}$/);
    match(target.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    const state = await window().readState();
    const commandLine = await readFile(`/proc/${String(state?.pid)}/cmdline`, 'utf8').catch(() => '');
    const files = await Promise.all(['state.json', 'service.log'].map((name) => readFile(join(folder, name), 'utf8')));
    strictEqual(
      [commandLine, ...files].some((text) => text.includes(target.apiKey.slice(6))),
      false,
    );
  });

  it('finds the running service from any window', async () => {
    const [first, second] = await Promise.all([window().startOrConnect(), window().startOrConnect()]);
    deepStrictEqual(second, first);
    deepStrictEqual(await window().startOrConnect(), first);
    strictEqual(shared.stored.get('local'), first.apiKey);
  });

  it('starts a new service when the key of the running one is lost', async () => {
    const before = await window().startOrConnect();
    shared.stored.clear();
    const after = await window().startOrConnect();
    notEqual(after.apiKey, before.apiKey);
    strictEqual((await window().findRunning())?.baseUrl, after.baseUrl);
  });

  it('starts nothing in an untrusted workspace but still finds a running service', async () => {
    trusted = false;
    await rejects(window().startOrConnect(), (error) => error instanceof ServiceError && error.effect === 'none');
    trusted = true;
    const running = await window().startOrConnect();
    trusted = false;
    strictEqual((await window().startOrConnect()).baseUrl, running.baseUrl);
  });

  it('stays stopped while polling and starts again with the next prompt', async () => {
    const service = window();
    const target = await service.startOrConnect();
    await service.markStopped();
    await client.shutdown(target);
    await service.untilGone();
    await rejects(service.connect(), { kind: 'unreachable' });
    await delay(300);
    strictEqual(await service.findRunning(), undefined);
    await rejects(window().connect(), { kind: 'unreachable' }, 'nor does another window start it');
    const before = starts;
    await service.startOrConnect();
    strictEqual(starts, before + 1);
    strictEqual((await service.connect()).apiKey, target.apiKey);
  });

  it('ignores a state file with a wrong process or port, or one that others can write', async () => {
    const target = await window().startOrConnect();
    const path = join(folder, 'state.json');
    const text = await readFile(path, 'utf8');
    if (process.platform !== 'win32') {
      await chmod(path, 0o666);
      strictEqual(await window().findRunning(), undefined);
      await chmod(path, 0o600);
    }
    for (const damaged of [text.replace(/"startTime":"/, '"startTime":"9'), text.replace(/"port":/, '"port":99')]) {
      await writeFile(path, damaged);
      strictEqual(await window().findRunning(), undefined);
    }
    await writeFile(path, text);
    strictEqual((await window().findRunning())?.baseUrl, target.baseUrl);
  });

  it('replaces an idle older service and keeps a newer one', async () => {
    const older = await window('0.9.0').startOrConnect();
    const before = await window().readState();
    const newer = await window('0.10.0').startOrConnect();
    const state = await window().readState();
    strictEqual(state?.release, '0.10.0');
    notEqual(state.pid, before?.pid);
    strictEqual(newer.apiKey, older.apiKey);
    await window('0.9.1').startOrConnect();
    strictEqual((await window().readState())?.pid, state.pid);
  });
});
