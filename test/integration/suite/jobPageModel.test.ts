import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { env, window } from 'vscode';
import type { Action, PageModel } from '../../../src/extension/features/job-page/model';
import { PageActionHandler } from '../../../src/extension/features/job-page/pageActionHandler';
import { missingModel, pageModel } from '../../../src/extension/features/job-page/pageModel';
import type { WorkEnd } from '../../../src/extension/platform/localWork';
import { describeJob } from '../../../src/extension/presentation/describeJob';
import type { JobEvent, SendFailureReason, RecordedEvent } from '../../../src/jobs/events';
import { jobHistory } from '../../../src/jobs/jobHistory';
import type { PollHealth } from '../../../src/jobs/pollSchedule';
import { reduceEvents } from '../../../src/jobs/trackedJob';
import type { UncheckedSpan } from '../../../src/jobs/uncheckedLog';
import { coded } from '../../../src/protocol/codedText';
import { hostileTexts } from '../../support/hostileText';
import { jobDescriber } from '../../support/jobDescriber';
import { snapshot } from '../../support/trackedJob';

const HOUR = 3_600_000;
const LINK = 'https://github.com/o/r/pull/1';
const hosted = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'handbook' };
const local = { service: 'local', projectId: 'handbook' };

interface Options {
  health?: PollHealth;
  unchecked?: readonly UncheckedSpan[];
  now?: number;
  pull?: 'merged' | 'closed' | 'open';
  ends?: readonly WorkEnd[];
}

function stampedOf(events: readonly JobEvent[]): RecordedEvent[] {
  return events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
}

function modelOf(events: readonly JobEvent[], options: Options = {}): PageModel {
  const { health, unchecked = [], now = HOUR, pull, ends = [] } = options;
  const stamped = stampedOf(events);
  const job = reduceEvents('k', stamped);
  ok(job !== undefined);
  const context = { now, health, pull };
  return pageModel(describeJob(job, context), context, { history: jobHistory(job, stamped, unchecked), ends });
}

const send = (home: typeof hosted | typeof local = hosted): JobEvent => ({
  type: 'send',
  at: 1000,
  send: 's1',
  kind: 'create',
  prompt: 'Explain the webhook\nand its retries',
  home,
});
const created: JobEvent = { type: 'created', at: 2000, send: 's1', job: snapshot('active', { id: 'job1' }) };
const changed = (job: Parameters<typeof snapshot>, end = true): JobEvent => ({
  type: 'changed',
  at: 62_000,
  run: 's1',
  job: snapshot(job[0], { id: 'job1', ...job[1] }),
  end,
});
const outcome = (type: 'rejected' | 'notSent' | 'throttled' | 'unconfirmed', reason: SendFailureReason): JobEvent => ({
  type,
  at: 3000,
  send: 's1',
  attempt: 1,
  reason,
});
const labels = (actions: readonly Action[] = []): string[] => actions.map(({ label }) => label);
const primaries = ({ actions }: PageModel): string[] => labels(actions.filter(({ isPrimary }) => isPrimary === true));
const spans = ({ timeline }: PageModel): string[] => timeline.spans.map(({ text }) => text);
const titles = ({ timeline }: PageModel): string[] => timeline.entries.map(({ title }) => title);

describe('what the job page shows', () => {
  it('for a prompt that is being sent', () => {
    const model = modelOf([send()]);
    deepStrictEqual([model.title, model.state.text, model.state.tone], ['Explain the webhook', 'Sending', 'waiting']);
    strictEqual(model.timeline.to, undefined);
    deepStrictEqual(titles(model), ['Prompt (sending)']);
    match(model.followUp.refused ?? '', /once the service has accepted/);
    deepStrictEqual(labels(model.timeline.entries[0]?.actions), ['Copy Prompt']);
  });

  it('for a prompt that waits', () => {
    const model = modelOf([send(), outcome('notSent', { kind: 'unreachable', code: 'ENOTFOUND' })]);
    deepStrictEqual([model.state.text, model.state.tone], ['Queued: waiting for network', 'waiting']);
    deepStrictEqual(titles(model), ['Prompt (unsent)', 'Couldn’t be sent yet']);
    deepStrictEqual(spans(model), ['Waiting to send']);
    deepStrictEqual(labels(model.timeline.entries[0]?.actions), [
      'Send Now',
      'Edit and Send',
      'Discard',
      'Copy Prompt',
    ]);
    strictEqual(model.state.notes.length, 1);
  });

  it('for a prompt that was sent after waiting', () => {
    const keyless = outcome('rejected', { kind: 'unauthorized', code: 'NO_KEY' });
    const model = modelOf([send(), keyless, created]);
    deepStrictEqual(titles(model), ['Prompt', 'Waited for an API key', 'In progress']);
    strictEqual(model.timeline.entries[1]?.text, '');
    const offline = outcome('notSent', { kind: 'unreachable', code: 'ENOTFOUND' });
    deepStrictEqual(titles(modelOf([send(), offline, created]))[1], 'Couldn’t be sent');
  });

  it('for a prompt that hit the rate limit', () => {
    const model = modelOf([send(), outcome('throttled', { kind: 'limit', until: HOUR })]);
    match(model.state.text, /^Queued until .*: rate limit$/);
    match(titles(model)[1] ?? '', /^Queued until .*: rate limit$/);
  });

  it('for a prompt that was rejected, and for one without a key', () => {
    const refused = modelOf([send(), outcome('rejected', { kind: 'rejected', detail: 'too long' })]);
    deepStrictEqual([refused.state.text, refused.state.tone], ['Rejected by the service', 'bad']);
    match(refused.state.notes[0] ?? '', /rejected the prompt.*too long/);
    deepStrictEqual(labels(refused.timeline.entries[0]?.actions), [
      'Resend',
      'Edit and Resend',
      'Discard',
      'Copy Prompt',
    ]);
    strictEqual(refused.timeline.to, 3000);
    const keyless = modelOf([send(), outcome('rejected', { kind: 'unauthorized', code: 'NO_KEY' })]);
    deepStrictEqual([keyless.state.text, keyless.state.tone], ['API key required', 'warning']);
    deepStrictEqual(titles(keyless), ['Prompt (unsent)', 'API key required']);
    strictEqual(labels(keyless.timeline.entries[0]?.actions)[0], 'Set API Key');
  });

  it('for a prompt whose response was lost', () => {
    const model = modelOf([send(), outcome('unconfirmed', { kind: 'unreachable' })]);
    deepStrictEqual([model.state.text, model.state.tone], ['Not confirmed', 'warning']);
    deepStrictEqual(labels(model.actions).slice(0, 1), ['Track Existing Job…']);
    deepStrictEqual(titles(model), ['Prompt (not confirmed)', 'No response']);
  });

  it('for a prompt that was discarded', () => {
    const model = modelOf([send(), { type: 'discarded', at: 4000, send: 's1' }]);
    deepStrictEqual([model.state.text, model.state.tone], ['Discarded before sending', 'plain']);
    deepStrictEqual(model.actions, []);
    match(model.followUp.refused ?? '', /discarded/);
    deepStrictEqual(titles(model), ['Prompt (discarded)', 'Prompt discarded']);
  });

  it('for a running job, hosted and local', () => {
    const there = modelOf([send(), created]);
    deepStrictEqual([there.state.text, there.state.tone], ['In progress', 'running']);
    deepStrictEqual(titles(there), ['Prompt', 'In progress']);
    deepStrictEqual(spans(there), ['Waited to send', 'In progress']);
    strictEqual(there.timeline.entries[0]?.text, 'Explain the webhook\nand its retries');
    strictEqual(there.followUp.refused, undefined);
    match(there.followUp.placeholder, /can interrupt it/);
    deepStrictEqual([there.followUp.send, there.followUp.sendLater], ['Interrupt and Send', 'Send After This Run']);
    strictEqual(labels([...there.actions, ...there.moreActions]).includes('Stop'), false);
    strictEqual(labels(modelOf([send(local), created]).actions)[0], 'Stop');
    deepStrictEqual(primaries(modelOf([send(local), created])), []);
    deepStrictEqual(
      there.timeline.spans.map(({ kind, from, to }) => [kind, from, to]),
      [
        ['waiting', 1000, 2000],
        ['running', 2000, undefined],
      ],
    );
  });

  it('for a job that cannot be checked', () => {
    const health = { lastSuccessAt: HOUR - 180_000, failure: 'unreachable' } as const;
    const model = modelOf([send(), created], { health, unchecked: [{ from: 30_000, failure: 'unreachable' }] });
    strictEqual(model.state.tone, 'warning');
    match(model.state.notes.join('\n'), /^Last updated 3 min\. ago\n/);
    const entry = model.timeline.entries.at(-1);
    deepStrictEqual([entry?.kind, entry?.title, entry?.duration], ['pollFailed', 'Update failed', undefined]);
    const gone = modelOf([send(), created], { health: { failure: 'notFound' } });
    deepStrictEqual(gone.state.notes.slice(0, 1), ['Not found on the service']);
  });

  it('for a job that completed, with and without a pull request', () => {
    const model = modelOf([send(), created, changed(['completed', { prLink: LINK, ref: 'docs/webhook' }])]);
    deepStrictEqual([model.state.text, model.state.tone], ['Pull request ready', 'good']);
    strictEqual(labels(model.actions)[0], 'Open Pull Request');
    deepStrictEqual(titles(model), ['Prompt', 'Run', 'Pull request ready']);
    strictEqual(model.timeline.entries[1]?.duration, 60_000);
    strictEqual(model.timeline.entries[2]?.kind, 'pullRequest');
    strictEqual(model.timeline.to, 62_000);
    match(model.followUp.placeholder, /^What should the agent change or add/);
    strictEqual(model.followUp.sendLater, undefined);
    const facts = model.facts.map(({ label, text }) => `${label}: ${text}`);
    ok(facts.includes('Pull request: o/r#1') && facts.includes('Branch: docs/webhook'), facts.join());
    const run = model.timeline.spans.find(({ kind }) => kind === 'running');
    deepStrictEqual([run?.text, run?.end, run?.tone], ['Run', 'Pull request ready', 'good']);
    const without = modelOf([send(), created, changed(['completed'])]);
    deepStrictEqual([without.state.text, without.state.tone], ['Finished, no pull request', 'plain']);
    const note = coded('pushedWithoutPullRequest', { branch: 'b', host: 'h', why: 'No token.' });
    const pushed = modelOf([send(), created, changed(['completed', { prLink: LINK, coded: { note } }])]);
    deepStrictEqual(
      [pushed.state.tone, pushed.state.notes],
      ['warning', ['Branch b is on h, but no pull request was opened. No token.']],
    );
  });

  it('with the tokens and the cost that the agent reports', () => {
    const usage = { tokens: 12_345, cost: { amount: 0.12, currency: 'USD' } };
    const { facts } = modelOf([send(local), created, changed(['completed', { usage }])]);
    const texts = facts.map(({ label, text }) => `${label}: ${text}`);
    ok(texts.includes('Tokens in context: 12,345') && texts.includes('Cost: $0.12'), texts.join());
    const without = modelOf([send(local), created, changed(['completed', { usage: { tokens: 0 } }])]).facts;
    deepStrictEqual(
      without.filter(({ label }) => label === 'Cost' || label === 'Tokens in context').map(({ text }) => text),
      ['0'],
    );
  });

  it('for a job of the local service, without any address of its review page', () => {
    const review = { prLink: 'http://127.0.0.1:4711/review/job1', ref: 'docs-agent/job1' };
    const model = modelOf([send(local), created, changed(['completed', review])]);
    deepStrictEqual(labels(model.actions), ['Review Changes', 'Send Follow-up', 'More…']);
    strictEqual(model.actions[0]?.id, 'reviewChanges');
    ok(labels(model.moreActions).includes('Open in Browser') && !labels(model.moreActions).includes('Copy Link'));
    ok(!JSON.stringify(model).includes('127.0.0.1'), JSON.stringify(model));
    deepStrictEqual(
      titles(modelOf([send(local), created, changed(['active', review], false)])).at(-1),
      'Changes ready',
    );
    strictEqual(
      model.facts.some(({ label }) => label === 'Pull request'),
      false,
    );
  });

  it('has at most three buttons, and all other actions behind the last one', () => {
    const end = changed(['completed', { prLink: LINK, ref: 'docs/webhook' }]);
    const { actions, moreActions } = modelOf([send(), created, end]);
    deepStrictEqual(labels(actions), ['Open Pull Request', 'Send Follow-up', 'More…']);
    deepStrictEqual(
      actions.map(({ leadsTo }) => leadsTo),
      [undefined, 'followUp', undefined],
    );
    const [first, ...others] = labels(moreActions);
    deepStrictEqual([first, others.at(-1)], ['Open in Editor', 'Remove from List']);
    const failed = modelOf([send(), created, changed(['failed'])]);
    deepStrictEqual(labels(failed.actions), ['Try Again', 'Send Follow-up', 'Show Log', 'Remove from List', 'More…']);
    deepStrictEqual(labels(modelOf([send()]).actions), ['More…']);
  });

  it('for a job whose pull request is merged or closed, and for one that the user stopped', () => {
    for (const [pull, text] of [
      ['merged', 'Merged'],
      ['closed', 'Closed'],
    ] as const) {
      const ends = [{ id: 'end', at: 70_000, state: pull }];
      const { state, timeline } = modelOf([send(), created, changed(['completed', { prLink: LINK }])], { pull, ends });
      deepStrictEqual([state.text, state.tone], [text, 'plain']);
      deepStrictEqual([timeline.entries.at(-1)?.title, timeline.entries.at(-1)?.at], [text, 70_000]);
    }
    const stopped = modelOf([send(), created, changed(['failed', { error: 'stopped', stopped: true }])]);
    deepStrictEqual([stopped.state.text, stopped.state.tone], ['Stopped', 'plain']);
    strictEqual(stopped.timeline.entries.at(-1)?.title, 'Stopped');
  });

  it('for a job that failed, was archived, or has an unknown status', () => {
    const failed = modelOf([send(), created, changed(['failed', { error: 'no such branch' }])]);
    deepStrictEqual([failed.state.text, failed.state.tone, failed.state.notes], ['Failed', 'bad', ['No such branch']]);
    strictEqual(failed.timeline.entries.at(-1)?.text, 'No such branch');
    strictEqual(modelOf([send(), created, changed(['archived'])]).state.text, 'Archived');
    const odd = modelOf([send(), created, changed(['paused'], false)]);
    deepStrictEqual([odd.state.text, odd.state.tone], ['Paused', 'plain']);
    deepStrictEqual(titles(odd).at(-1), 'Service status: paused');
  });

  it('has the most likely next action as its primary button, and none where the user can only wait', () => {
    const unreachable = outcome('notSent', { kind: 'unreachable' });
    const network = modelOf([send(), unreachable]);
    deepStrictEqual(primaries(network), ['Send Now']);
    strictEqual(network.actions[0]?.entry, network.timeline.entries[0]?.id);
    const refusedFor = (reason: SendFailureReason): string[] =>
      primaries(modelOf([send(), outcome('rejected', reason)]));
    deepStrictEqual(refusedFor({ kind: 'rejected', detail: 'too long' }), ['Edit and Resend']);
    deepStrictEqual(refusedFor({ kind: 'forbidden' }), ['Resend']);
    deepStrictEqual(refusedFor({ kind: 'unauthorized', code: 'NO_KEY' }), ['Set API Key']);
    deepStrictEqual(primaries(modelOf([send(), outcome('throttled', { kind: 'limit', until: HOUR })])), []);
    deepStrictEqual(primaries(modelOf([send()])), []);
    const lost = modelOf([send(), outcome('unconfirmed', { kind: 'unreachable' })]);
    deepStrictEqual(primaries(lost), ['Track Existing Job…']);
    const ended = (...job: Parameters<typeof snapshot>): PageModel => modelOf([send(), created, changed(job)]);
    deepStrictEqual(primaries(ended('completed', { prLink: LINK })), ['Open Pull Request']);
    const byService = [send(local), created, changed(['completed'])];
    deepStrictEqual(primaries(modelOf(byService)), []);
    deepStrictEqual(primaries(ended('failed')), ['Try Again']);
    deepStrictEqual(primaries(ended('failed', { prLink: LINK, ref: 'docs/webhook' })), ['Try Again']);
    deepStrictEqual(primaries(modelOf([send(), created, { type: 'untracked', at: 9000 }])), ['Restore to List']);
  });

  it('for a job that was removed, and for one that does not exist', () => {
    const removed = modelOf([send(), created, { type: 'untracked', at: 9000 }]);
    strictEqual(labels(removed.actions)[0], 'Restore to List');
    match(removed.followUp.refused ?? '', /removed from the list/);
    match(removed.state.notes[0] ?? '', /no longer updated/);
    const missing = missingModel(5000);
    match(missing.state.text, /no longer in the list/);
    deepStrictEqual([missing.timeline.from, missing.timeline.to], [5000, 5000]);
  });

  it('contains no control or bidirectional formatting characters, whatever a service sends', () => {
    for (const text of hostileTexts(120, 'http://127.0.0.1:1', 'workbench.action.quit')) {
      const more = { prLink: text, ref: text, repository: text, model: text, error: text, note: text };
      const events = [send(), created, changed([text, more], false), changed(['failed', more])];
      const named: JobEvent = { type: 'renamed', at: 70_000, title: text };
      const prompted: JobEvent = { type: 'send', at: 70_001, send: 's2', kind: 'followUp', prompt: text, home: hosted };
      const shown = modelOf([...events, named, prompted]);
      const texts: string[] = [];
      JSON.stringify(shown, (_name, value: unknown) =>
        typeof value === 'string' ? (texts.push(value), value) : value,
      );
      for (const each of texts) {
        ok(!/\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/u.test(each), JSON.stringify(each));
      }
    }
  });

  it('limits the actions and files that the page can request', async () => {
    const events = [send(), created, changed(['completed', { prLink: LINK }])];
    const model = modelOf(events);
    const warnings: string[] = [];
    const nothing = (): void => undefined;
    const opened: string[] = [];
    const acts = new PageActionHandler({
      story: {
        follow: () => ({ dispose: nothing }),
        changes: () => Promise.resolve(undefined),
        branchToFetch: () => Promise.resolve(undefined),
        onDidOpenRepository: () => ({ dispose: nothing }),
        openFile: async (_job, path) => void opened.push(path),
      },
      describer: jobDescriber(),
      log: { info: nothing, warn: (text) => warnings.push(text), error: nothing },
    });
    const job = reduceEvents('k', stampedOf(events));
    const tabs = (): number => window.tabGroups.all.flatMap((group) => group.tabs).length;
    const before = tabs();
    await acts.run(job, model, 'workbench.action.files.newUntitledFile', undefined);
    await acts.run(job, model, 'openPullRequest', 'no such entry');
    await acts.run(job, undefined, 'copyJobId', undefined);
    await acts.openFile(job, model, '/etc/passwd');
    deepStrictEqual([warnings.length, tabs(), opened], [3, before, []]);
    const prompt = model.timeline.entries[0];
    await acts.run(job, model, 'copyPrompt', prompt?.id);
    strictEqual(warnings.length, 3);
    strictEqual(await env.clipboard.readText(), 'Explain the webhook\nand its retries');
  });
});
