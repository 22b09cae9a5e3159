// Reads what changed between two commits as the job page does, in its own process: `REPOSITORY BASE COMMIT`. Prints the
// result, how long that took, and how long the event loop was blocked at most, in milliseconds.
import '../../support/fakeEditor';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { diffSummary } from '../../../src/git/diff';
import { Git } from '../../../src/git/git';
import { CHANGES_LIMITS, toJobChanges } from '../../../src/protocol/changes';

/** Resolution of the event loop delay, in milliseconds. */
const RESOLUTION_MS = 1;

const { branchDiff, readJobDiff } = await import('../../../src/extension/features/job-page/jobDiff');
const [folder = '', base = '', commit = ''] = process.argv.slice(2);
const where = { git: new Git(process.env), place: { folder }, signal: AbortSignal.timeout(60_000) };
const changes = toJobChanges({ base, commit }, await diffSummary(where, [base, commit], CHANGES_LIMITS));
// The monitor measures between two of its own timer ticks, so it needs one tick before the work and one after it.
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
turns.enable();
await delay(20);
const start = performance.now();
const files = await readJobDiff(branchDiff(where, { base, commit }), changes);
const tookMs = performance.now() - start;
await delay(20);
turns.disable();
process.stdout.write(JSON.stringify({ changes, files, tookMs, longestMs: turns.max / 1e6 - RESOLUTION_MS }));
