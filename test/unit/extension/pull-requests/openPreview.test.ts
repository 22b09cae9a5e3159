import { deepStrictEqual, match } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { editor } from '../../../support/fakeEditor';
import { openPreview, POLL_MS } from '../../../../src/extension/features/pull-requests/openPreview';
import { jobPicker } from '../../../support/jobDescriber';
import { ServiceError } from '../../../../src/protocol/errors';
import { ManualClock } from '../../../support/manualClock';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const URL = 'https://acme-docs-7.preview.example/?a=%2F';

describe('Open Preview', () => {
  let opened: unknown[];
  let shown: string[];
  let learned: boolean[];
  /** When the status was requested, in milliseconds. */
  let asked: number[];
  let clock: ManualClock;
  let cancel: () => void;

  beforeEach(() => {
    [opened, shown, learned, asked] = [[], [], [], []];
    clock = new ManualClock();
    const show = async (text: string): Promise<undefined> => void shown.push(text);
    const token = { onCancellationRequested: (listener: () => void) => (cancel = listener) };
    const withProgress = (_: unknown, work: (...parts: unknown[]) => unknown): unknown => work({}, token);
    Object.assign(editor.window, { showWarningMessage: show, showErrorMessage: show, withProgress });
    Object.assign(editor.env, { openExternal: async (link: string) => void opened.push(link) });
  });

  /** @param answers each a status, or an error */
  async function preview(answers: unknown[], previewUrl = URL, start?: Error, forMs = 10 * POLL_MS): Promise<void> {
    const job = trackedJob({
      location: { service: 'https://docs.example', projectId: 'p' },
      snapshot: snapshot('completed', { ref: 'docs/limits' }),
    });
    const next = async (): Promise<unknown> => {
      asked.push(clock.monotonic());
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return answer instanceof Error ? Promise.reject(answer) : answer;
    };
    const access = {
      startPreview: async () => (start === undefined ? { statusId: 's', previewUrl } : Promise.reject(start)),
      previewStatus: next,
    };
    const picker = jobPicker({ jobs: [job], get: () => job });
    const previews = { learn: async (_: unknown, has: boolean) => void learned.push(has) };
    const opening = openPreview({ picker, access, previews, clock } as never, 'k');
    for (let ms = 0; ms < forMs; ms += POLL_MS) {
      await clock.advance(POLL_MS);
    }
    cancel();
    await opening;
  }

  it('waits until the preview is built, and opens it', async () => {
    const offline = new ServiceError('unreachable', { effect: 'none' });
    await preview(['building', offline, 'building', 'success']);
    deepStrictEqual([opened, shown, learned], [[URL], [], [true]]);
  });

  it('says so when it can’t be built, and when its link is not safe', async () => {
    await preview(['failure']);
    await preview(['success'], 'http://docs.example');
    await preview(['success'], 'http://127.0.0.1/preview');
    deepStrictEqual([opened, shown.length], [[], 3]);
    match(shown[0] ?? '', /couldn’t be built/);
    match(shown[1] ?? '', /isn’t a plain https URL/);
  });

  it('says that the plan has no previews, and remembers it', async () => {
    const detail = 'Another plan.';
    await preview([], URL, new ServiceError('forbidden', { effect: 'refused', status: 403, detail }));
    deepStrictEqual(learned, [false]);
    match(shown.join(), /^This project’s plan doesn’t include previews.*\(Another plan\.\)$/);
  });

  it('says that the service may have none, not that the project is wrong', async () => {
    await preview([], URL, new ServiceError('notFound', { effect: 'refused', status: 404 }));
    match(shown.join(), /The service doesn’t offer this, or no longer has the job\.$/);
  });

  it('gives up after a lasting failure, and reports why any other failure stopped it', async () => {
    await preview([new ServiceError('timeout', { effect: 'unknown' })]);
    await preview([], URL, new ServiceError('limit', { effect: 'refused', status: 429 }));
    deepStrictEqual([opened, shown.length, learned], [[], 2, [true]]);
  });

  it('waits as long as the service asks for, and longer each time that it limits requests', async () => {
    const busy = new ServiceError('unreachable', { effect: 'none', status: 503, retryAfterMs: 30_000 });
    await preview(['building', busy, 'success'], URL, undefined, 60_000);
    deepStrictEqual([opened, asked], [[URL], [0, 3_000, 33_000]]);
    asked = [];
    await preview([new ServiceError('limit', { effect: 'refused', status: 429 })], URL, undefined, 600_000);
    const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    deepStrictEqual(
      waits.map((ms, index) => ms >= POLL_MS * 2 ** index),
      [true, true, true, true],
    );
  });

  it('gives up when the preview is not built within 30 minutes', async () => {
    await preview(['building'], URL, undefined, 40 * 60_000);
    match(shown.join(), /^The preview isn’t ready after 30 minutes/);
    deepStrictEqual([opened, (asked.at(-1) ?? 0) <= 30 * 60_000], [[], true]);
  });

  it('opens and says nothing when the user cancels', async () => {
    await preview(['building']);
    deepStrictEqual([opened, shown], [[], []]);
  });
});
