import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LIFETIME = fileURLToPath(new URL('../../../src/local-service/lifetime.ts', import.meta.url));

/** Runs the script with a `Lifetime` in its own process, with timers ten times faster. */
async function live(script: string): Promise<{ code: number | null; text: string; ms: number }> {
  const program = `
    import { Lifetime } from ${JSON.stringify(LIFETIME)};
    for (const name of ['setTimeout', 'setInterval']) {
      const real = globalThis[name];
      globalThis[name] = (work, ms) => real(work, ms / 10);
    }
    const start = performance.now();
    const activity = { turns: 0, requests: 0, followers: 0, requestsInAll: 0 };
    const end = async () => { process.stdout.write('ended '); };
    process.on('exit', () => process.stdout.write('|' + (performance.now() - start)));
    const log = { info() {}, warn() {}, error() {} };
    const create = (more) => new Lifetime({ activity: () => activity, idleMs: 0, end, log, ...more });
    // Something that holds the process, as the listener does.
    setInterval(() => {}, 60000);
    ${script}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  const [said = '', ms] = text.split('|');
  return { code: child.exitCode, text: said, ms: Number(ms) };
}

describe('service lifetime', function () {
  it('shuts down cleanly and only once when it receives two signals', async () => {
    const { code, text } = await live(
      "create(); process.kill(process.pid, 'SIGTERM'); process.kill(process.pid, 'SIGINT');",
    );
    assert.deepEqual([code, text], [0, 'ended ']);
  });

  it('waits for the last turn on an idle shutdown, but not for one on hold', async () => {
    const { code, text } = await live(
      "activity.turns = 2; activity.held = 1; create().shutDown('idle'); setTimeout(() => { process.stdout.write('turn '); activity.turns = 1; }, 1200);",
    );
    assert.deepEqual([code, text], [0, 'turn ended ']);
  });

  it('waits for open requests, such as a merge, but not for log followers on an idle shutdown', async () => {
    const { code, text } = await live(
      "activity.requests = 2; activity.followers = 1; create().shutDown('idle'); setTimeout(() => { process.stdout.write('merged '); activity.requests = 1; }, 1200);",
    );
    assert.deepEqual([code, text], [0, 'merged ended ']);
  });

  it('ends after a long idle time but not while a request or turn is active, or on hold', async () => {
    const { code, text } = await live(`
      activity.turns = 1;
      activity.held = 1;
      create({ idleMs: 10 });
      setTimeout(() => { process.stdout.write('turn '); activity.turns = activity.held = 0; activity.requests = 1; }, 1500);
      setTimeout(() => { process.stdout.write('request '); activity.requests = 0; }, 3000);`);
    assert.deepEqual([code, text], [0, 'turn request ended ']);
  });

  it('exits after ten seconds even if shutdown work is stuck', async () => {
    const { code, text, ms } = await live("create({ end: () => new Promise(() => {}) }).shutDown('now');");
    assert.deepEqual([code, text, ms >= 999], [0, '', true]);
  });
});
