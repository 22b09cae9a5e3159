import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import type { PageModel } from '../../../../src/extension/features/job-page/model';
import { runPageAction } from '../../../../src/extension/features/job-page/pageActions';
import { missingModel, pageModel, type PageParts } from '../../../../src/extension/features/job-page/pageModel';
import { describeJob, type JobContext } from '../../../../src/extension/presentation/describeJob';
import type { JobEvent, RecordedEvent, FailureReason, Snapshot } from '../../../../src/jobs/events';
import { getRunTime, jobHistory } from '../../../../src/jobs/jobHistory';
import { reduceEvents, type TrackedJob } from '../../../../src/jobs/trackedJob';
import { commands } from '../../../support/fakeEditor';
import { hostileTexts } from '../../../support/hostileText';
import { jobDescriber } from '../../../support/jobDescriber';
import { snapshot } from '../../../support/trackedJob';

const LINK = 'https://github.com/o/r/pull/1';
const hosted = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'handbook' };
const local = { service: 'local', projectId: 'handbook' };

const send = (location = hosted as typeof hosted | typeof local): JobEvent => ({
  ...{ type: 'send', at: 1000, promptId: 's1', kind: 'create', text: 'Explain the webhook\nand its retries', location },
});
const created: JobEvent = { type: 'created', at: 2000, promptId: 's1', job: snapshot('active', { id: 'job1' }) };
const followUp = (at: number, more: Partial<Extract<JobEvent, { type: 'send' }>> = {}): JobEvent => ({
  ...{ type: 'send', at, promptId: 's2', kind: 'followUp', text: 'And the limits', location: hosted },
  ...more,
});
const ended = (status: string, change: Partial<Snapshot> = {}): JobEvent => ({
  ...{ type: 'changed', at: 62_000, run: 's1', job: snapshot(status, { id: 'job1', ...change }), end: true },
});
const outcome = (type: 'rejected' | 'needsKey' | 'notSent', reason: FailureReason, of = 's1'): JobEvent => ({
  ...{ type, at: 3000, promptId: of, attempt: 1, reason },
});

function read(events: readonly JobEvent[]): [TrackedJob, RecordedEvent[]] {
  const recorded = events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
  const job = reduceEvents('k', recorded);
  ok(job !== undefined);
  return [job, recorded];
}

function modelOf(events: readonly JobEvent[], more: Partial<JobContext & PageParts> = {}): PageModel {
  const [job, recorded] = read(events);
  const history = jobHistory(job, recorded);
  const context = { now: 3_600_000, ranMs: getRunTime(history), ...more };
  return pageModel(describeJob(job, context), context, { history, ...more });
}

/** The entries as `title (note): text`. */
const entries = ({ history }: PageModel): string[] =>
  history.map(({ title, note, text }) =>
    [title, note === undefined ? '' : ` (${note})`, text === undefined ? '' : `: ${text.split('\n')[0] ?? ''}`].join(
      '',
    ),
  );
const labels = (actions: PageModel['actions'] = []): string[] => actions.map(({ label }) => label);

describe('the history on the page of a job', () => {
  const PROMPT = 'Prompt: Explain the webhook';

  it('lists a prompt until it is accepted, with what can be done about it', () => {
    deepStrictEqual(entries(modelOf([send()])), ['Prompt (sending): Explain the webhook']);
    const offline = modelOf([send(), outcome('notSent', { kind: 'unreachable' })]);
    deepStrictEqual(entries(offline), ['Prompt (waiting for network): Explain the webhook']);
    deepStrictEqual(labels(offline.history[0]?.actions), ['Send Now', 'Edit and Send…', 'Discard', 'Copy Prompt']);
    strictEqual(offline.actions[0]?.entry, offline.history[0]?.id);
    const keyless = modelOf([send(), outcome('needsKey', { kind: 'unauthorized', code: 'NO_KEY' })]);
    strictEqual(labels(keyless.history[0]?.actions)[0], 'Set API Key');
    const gone = modelOf([send(), { type: 'discarded', at: 4000, promptId: 's1' }]);
    deepStrictEqual(entries(gone), ['Prompt (replaced or discarded): Explain the webhook']);
  });

  it('says how each run ended, and how long it took', () => {
    deepStrictEqual(entries(modelOf([send(), created])), [PROMPT, 'In progress']);
    const queued = { ...created, job: { ...created.job, surroundings: { queued: true as const } } };
    deepStrictEqual(entries(modelOf([send(), queued])), [PROMPT, 'Queued']);
    const end = ended('completed', { prLink: LINK });
    deepStrictEqual(entries(modelOf([send(), created, end])), [PROMPT, 'Pull request ready (1 min): o/r#1']);
    const failed = modelOf([send(), created, ended('failed', { error: 'no such branch' })]);
    deepStrictEqual([failed.state.notes, entries(failed).at(-1)], [['No such branch'], 'Failed (1 min)']);
    const review = { prLink: 'http://127.0.0.1:4711/review/job1', ref: 'docs-agent/job1' };
    const own = modelOf([send(local), created, ended('completed', review)]);
    deepStrictEqual(entries(own).at(-1), 'Changes ready (1 min)');
    ok(!JSON.stringify(own).includes('127.0.0.1'));
  });

  it('is in the order in which things happened', () => {
    const interrupted = [send(), created, followUp(30_000), { ...created, at: 31_000, promptId: 's2' }];
    deepStrictEqual(entries(modelOf(interrupted)), [
      PROMPT,
      'Follow-up: And the limits',
      'Interrupted by a follow-up (29 sec)',
      'In progress',
    ]);
    const waiting = modelOf([send(), created, followUp(30_000, { afterRun: true })]);
    deepStrictEqual(entries(waiting).at(-1), 'Follow-up (queued until this run finishes): And the limits');
    match(waiting.history.at(-1)?.why ?? '', /^It’s sent automatically/);
    const hostedEnd = { at: 70_000, state: 'merged' as const };
    const merged = modelOf([send(), created, ended('completed', { prLink: LINK })], { pull: 'merged', hostedEnd });
    deepStrictEqual([entries(merged).at(-1), merged.state.text], ['Merged', 'Merged']);
    const decided = { ...ended('completed', { review: 'closed' }), at: 70_000 };
    const next = [followUp(80_000), { ...created, at: 81_000, promptId: 's2' }];
    deepStrictEqual(entries(modelOf([send(local), created, ended('completed'), decided, ...next])).slice(2), [
      'Closed',
      'Follow-up: And the limits',
      'In progress',
    ]);
  });

  it('says what began elsewhere', () => {
    const job = snapshot('active', { id: 'job1' });
    const tracked: JobEvent = { type: 'tracked', at: 1000, location: hosted, job };
    deepStrictEqual(entries(modelOf([tracked])), [
      'Tracking started: Earlier activity is available only in the service.',
      'In progress',
    ]);
    const resumed: JobEvent = { type: 'resumed', at: 70_000, run: 'r', job, end: false };
    const again = entries(modelOf([send(), created, ended('completed'), resumed]));
    deepStrictEqual(again.slice(-2), ['Follow-up (sent elsewhere)', 'In progress']);
  });

  it('offers the changes of a prompt if they can be shown', () => {
    const shown = modelOf([send(), created, ended('completed')], { reviewable: new Set(['s1']) });
    deepStrictEqual(labels(shown.history[0]?.actions), ['Show Changes', 'Copy Prompt']);
  });
});

describe('the page of a job', () => {
  it('shows the state, what to know about it, and the facts', () => {
    const model = modelOf([
      send(),
      created,
      ended('completed', { prLink: LINK, ref: 'docs/x', note: 'Left out: a.md' }),
    ]);
    deepStrictEqual([model.title, model.state.tone], ['Explain the webhook', 'good']);
    deepStrictEqual(model.state.notes, ['Left out: a.md']);
    const facts = model.facts.map(({ label, text, action }) => `${label}: ${text}${action === undefined ? '' : ' >'}`);
    deepStrictEqual(
      facts.filter((fact) => !/^(Sent|Finished):/.test(fact)),
      [
        'Project: handbook',
        'Pull request: o/r#1 >',
        'Branch: docs/x',
        'Service: https://docs.example',
        'Duration: 1 min',
        'Job ID: job1 >',
      ],
    );
    const usage = { tokens: 12_345, cost: { amount: 0.12, currency: 'USD' } };
    const costs = modelOf([send(local), created, ended('completed', { usage })]).facts.map(({ text }) => text);
    ok(costs.includes('12,345') && costs.includes('$0.12'), costs.join());
  });

  it('says how old the state is while polls fail', () => {
    const health = { lastSuccessAt: 3_600_000 - 180_000, failure: 'unreachable' } as const;
    const { state } = modelOf([send(), created], { health });
    strictEqual(state.tone, 'warning');
    match(state.notes.join('\n'), /^Last updated 3 min\. ago\n/);
    deepStrictEqual(
      modelOf([send(), created], { health: { failure: 'notFound' } }).state.notes[0],
      'Not found on the service',
    );
  });

  it('says what a follow-up does, or why none can be sent', () => {
    const running = modelOf([send(), created]).followUp;
    match(running.effects.join('\n'), /can interrupt it/);
    deepStrictEqual([running.send, running.sendLater], ['Interrupt and Send', 'Send After This Run']);
    const done = modelOf([send(), created, ended('completed')]).followUp;
    deepStrictEqual([done.sendLater, done.refused], [undefined, undefined]);
    match(done.placeholder, /^What should the agent change or add/);
    const review = { prLink: 'http://127.0.0.1:4711/review/job1' };
    const merged = modelOf([send(local), created, ended('completed', review)], { pull: 'merged' }).followUp;
    match(merged.placeholder, /^This job is merged\. A follow-up makes new changes/);
    match(modelOf([send()]).followUp.refused ?? '', /once the service has accepted/);
    match(modelOf([send(), created, { type: 'untracked', at: 9000 }]).followUp.refused ?? '', /removed from the list/);
    match(missingModel().state.text, /no longer in the list/);
  });

  it('asks for no correction where no follow-up can be sent', () => {
    const check = { title: '1 problem', findings: [], request: 'Correct it.' };
    const events = [send(), created, ended('completed')];
    strictEqual(modelOf(events, { check }).check?.request, 'Correct it.');
    strictEqual(modelOf([...events, { type: 'untracked', at: 70_000 }], { check }).check?.request, undefined);
  });

  it('contains no control or bidirectional formatting characters, whatever a service sends', () => {
    for (const text of hostileTexts(120, 'http://127.0.0.1:1', 'workbench.action.quit')) {
      const change = { prLink: text, ref: text, repository: text, model: text, error: text, note: text };
      const named: JobEvent = { type: 'renamed', at: 70_000, title: text };
      const shown = modelOf([send(), created, ended('failed', change), named, followUp(70_001, { text })]);
      JSON.stringify(shown, (_name, value: unknown) => {
        ok(typeof value !== 'string' || !/\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/u.test(value), JSON.stringify(value));
        return value;
      });
    }
  });

  it('can request only the actions that it shows', async () => {
    const events = [send(), created, ended('completed', { prLink: LINK })];
    const model = modelOf(events);
    const [job] = read(events);
    const [ran, warnings]: string[][] = [[], []];
    Object.assign(commands, { executeCommand: async (id: string) => void ran?.push(id) });
    const nothing = (): undefined => undefined;
    const log = { info: nothing, warn: (text: string) => void warnings?.push(text), error: nothing };
    const run = (id: string, entry?: string, of: PageModel | undefined = model): Promise<void> =>
      runPageAction({ describer: jobDescriber(), log }, { job, model: of }, { id, entry });
    await run('workbench.action.files.newUntitledFile');
    await run('openPullRequest', 'no such entry');
    await run('copyJobId', undefined, { ...model, facts: [], actions: [], moreActions: [] });
    deepStrictEqual([warnings?.length, ran], [3, []]);
    await run('openPullRequest');
    await run('copyJobId');
    deepStrictEqual(ran, ['docsAgent.openPullRequest', 'docsAgent.copyJobId']);
  });
});
