import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { JobPickerOptions } from '../../../../src/extension/presentation/jobPicker';
import { window } from '../../../support/fakeEditor';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const job = (key: string, id: string, updatedAt = 0) =>
  trackedJob({ key, snapshot: snapshot('completed', { id }), endedAt: 1, updatedAt });

describe('JobPicker', () => {
  const jobs = [job('key-1', 'job_1'), job('key-2', 'job_2', 2), job('key-3', 'job_2', 1)];
  const store = { jobs, get: (key: string) => jobs.find((one) => one.key === key) };
  let shown: unknown[];

  beforeEach(() => {
    shown = [];
    Object.assign(window, {
      showQuickPick: async (items: { job: { key: string } }[]) => {
        shown.push(items.map((item) => item.job.key));
        return items[0];
      },
      showInformationMessage: async (text: string) => void shown.push(text),
      showWarningMessage: async (text: string) => void shown.push(text),
    });
  });

  /** The job that is chosen, and what the user is shown. */
  async function choose(
    action: 'reviewChanges' | 'cancelJob' | 'sendFollowUp',
    keys: readonly string[],
    more: Partial<JobPickerOptions> = {},
    name?: string,
    isForeign = false,
  ): Promise<unknown[]> {
    const choice = { fits: ({ key }: { key: string }) => keys.includes(key), isForeign };
    const chosen = await jobPicker(store, more).choose(name, action, choice);
    return [chosen?.key, ...shown];
  }
  const link = 'https://github.com/a/b/pull/1';
  const surroundings = { pullRequest: { url: link, state: 'merged' as const } };
  const mergedAnswer = snapshot('completed', { prLink: link, surroundings });
  const activeJob = () => 'key-3';
  const all = jobs.map(({ key }) => key);

  it('finds a job by its key and by its ID', () => {
    strictEqual(jobPicker(store).byName('key-2')?.key, 'key-2');
    strictEqual(jobPicker(store).byName('job_1')?.key, 'key-1');
  });

  it('finds no job by an ID that two services use', () => {
    strictEqual(jobPicker(store).byName('job_2'), undefined);
  });

  it('prefers a job that is ready for review over merged ones, but asks while one of these is open', async () => {
    const jobsOf = (...keys: string[]) => keys.map((key) => trackedJob({ key, snapshot: mergedAnswer, endedAt: 1 }));
    const own = { jobs: [...jobsOf('merged', 'other'), job('ready', 'job_9')], get: () => undefined };
    const fits = { fits: () => true };
    strictEqual((await jobPicker(own).choose(undefined, 'reviewChanges', fits))?.key, 'ready');
    deepStrictEqual(shown, []);
    const picker = jobPicker(own, { activeJob: () => 'merged' });
    strictEqual((await picker.choose(undefined, 'reviewChanges', fits))?.key, 'ready');
    deepStrictEqual(shown, [['ready', 'merged', 'other']]);
    strictEqual((await picker.choose(undefined, 'sendFollowUp'))?.key, 'merged');
  });

  it('picks the named job, whatever is open', async () => {
    deepStrictEqual(await choose('cancelJob', all, { activeJob }, 'key-1'), ['key-1']);
  });

  it('picks the job in the active editor if the command applies to it', async () => {
    deepStrictEqual(await choose('cancelJob', all, { activeJob }), ['key-3']);
    deepStrictEqual(await choose('cancelJob', ['key-1', 'key-2'], { activeJob }), ['key-2', ['key-2', 'key-1']]);
  });

  it('picks the only job without asking, unless that would change something', async () => {
    deepStrictEqual(await choose('reviewChanges', ['key-1']), ['key-1']);
    deepStrictEqual(await choose('cancelJob', ['key-1']), ['key-1', ['key-1']]);
  });

  it('lists the active job first, otherwise the most recent one', async () => {
    deepStrictEqual(await choose('reviewChanges', all), ['key-2', ['key-2', 'key-3', 'key-1']]);
  });

  it('lists the job of the focused row first while none is in the editor', async () => {
    const view = { focusedJob: async () => 'key-1' };
    deepStrictEqual(await choose('cancelJob', ['key-1', 'key-2'], { view }), ['key-1', ['key-1', 'key-2']]);
  });

  it('always asks which job gets a prompt that was passed as an argument', async () => {
    const ask = (keys: readonly string[]) => choose('sendFollowUp', keys, { activeJob }, undefined, true);
    deepStrictEqual(await ask(all), ['key-3', ['key-3', 'key-2', 'key-1']]);
    shown = [];
    deepStrictEqual(await ask(['key-1']), ['key-1', ['key-1']]);
  });

  it('says why there is no job to choose', async () => {
    deepStrictEqual(await choose('reviewChanges', []), [undefined, 'No finished job has changes.']);
    shown = [];
    deepStrictEqual(await choose('cancelJob', []), [undefined, 'No local job is running.']);
  });

  it('shows the same state as the list', async () => {
    const texts: (string | undefined)[] = [];
    Object.assign(window, {
      showQuickPick: async (items: { description?: string }[]) => void texts.push(items[0]?.description),
    });
    const own = trackedJob({ key: 'own', snapshot: mergedAnswer, endedAt: 1 });
    const picker = jobPicker({ jobs: [own], get: () => undefined });
    await picker.choose(undefined, 'cancelJob', { fits: () => true });
    deepStrictEqual(texts, ['p (local) · merged']);
  });
});
