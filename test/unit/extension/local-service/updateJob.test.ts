import { deepStrictEqual } from 'node:assert/strict';
import type { Snapshot } from '../../../../src/jobs/events';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import type { Surroundings } from '../../../../src/protocol/surroundings';
import { commands, window } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

/** The local service and the editor answer as each test says; the commands are real. */
describe('bringing a job up to date, and deciding about its half-done work', () => {
  const load = async () => ({
    ...(await import('../../../../src/extension/features/local-service/updateJob')),
    ...(await import('../../../support/jobDescriber')),
    ...(await import('../../../../src/protocol/errors')),
  });
  let loaded: Awaited<ReturnType<typeof load>>;
  let job: TrackedJob;
  let requests: string[];
  let questions: string[];
  let shown: string[];
  let ran: unknown[];
  let drafts: string[];
  let answer: boolean;
  let refusal: string | undefined;

  before(async () => (loaded = await load()));
  beforeEach(() => {
    [requests, questions, shown, ran, drafts] = [[], [], [], [], []];
    [answer, refusal] = [true, undefined];
    Object.assign(window, {
      withProgress: async (_: unknown, work: () => Promise<void>) => work(),
      showWarningMessage: async (text: string, modal: { detail?: string } | string | undefined, agree: string) => {
        if (typeof modal !== 'object') {
          shown.push(text);
          return undefined;
        }
        questions.push(`${text} ${modal.detail ?? ''}`);
        return answer ? agree : undefined;
      },
    });
    Object.assign(commands, { executeCommand: async (...call: unknown[]) => void ran.push(call) });
  });

  const given = (surroundings: Surroundings): TrackedJob =>
    (job = trackedJob({ title: 'T', snapshot: snapshot('completed', { ref: 'b', surroundings }), endedAt: 1 }));

  const options = (typed = '') => {
    const request = async (name: string): Promise<void> => {
      requests.push(name);
      if (refusal !== undefined) {
        const coded = { code: 'x' };
        throw new loaded.ServiceError('rejected', { effect: 'refused', status: 409, detail: refusal, coded });
      }
    };
    return {
      store: {
        get: () => job,
        record: async (_: string, event: { job: Snapshot }) => void (job = { ...job, snapshot: event.job }),
      },
      access: { lookUp: async () => snapshot('completed', { ref: 'b' }) },
      localAccess: {
        update: () => request('update'),
        decideUnsaved: (_: unknown, __: string, decision: string) => request(decision),
      },
      picker: loaded.jobPicker({ get: () => job, jobs: [job] }),
      drafts: { open: async () => typed, type: (_: string, text: string) => void drafts.push(text) },
    } as never;
  };

  const base = (...conflicts: string[]): Surroundings => ({ base: { branch: 'main', newCommits: 3, conflicts } });
  const unsaved: Surroundings = { unsaved: { files: 2, added: 1, deleted: 0 } };

  it('asks the service for the new commits of the base, and shows what it says then', async () => {
    given(base());
    await loaded.updateJob(options(), 'k');
    deepStrictEqual([requests, job.snapshot?.surroundings, ran, drafts], [['update'], undefined, [], []]);
  });

  it('leaves conflicts to the agent, in a follow-up that keeps what was typed', async () => {
    for (const [typed, expected] of [
      ['', ['Resolve the conflicts with main in docs/a.md, b.md.']],
      ['And a typo', ['Resolve the conflicts with main in docs/a.md, b.md.\n\nAnd a typo']],
      ['Resolve the conflicts with main in docs/a.md, b.md. Keep theirs.', []],
    ] as const) {
      [ran, drafts] = [[], []];
      given(base('docs/a.md', 'b.md'));
      await loaded.updateJob(options(typed), 'k');
      deepStrictEqual([requests, drafts, ran], [[], expected, [['docsAgent.sendFollowUp', { jobKey: 'k' }]]]);
    }
  });

  it('keeps half-done work, and discards it only after a confirmation', async () => {
    given(unsaved);
    await loaded.keepWork(options(), 'k');
    deepStrictEqual([requests, questions, job.snapshot?.surroundings], [['keep'], [], undefined]);
    for (const isSure of [false, true]) {
      given(unsaved);
      [requests, questions, answer] = [[], [], isSure];
      await loaded.discardWork(options(), 'k');
      const question = 'Discard the changes that aren’t in a branch? 2 files of “T”. You can’t undo this.';
      deepStrictEqual([requests, questions], [isSure ? ['discard'] : [], [question]]);
    }
  });

  it('says in the service’s words why it refuses', async () => {
    refusal = 'The agent is at work.';
    for (const work of [loaded.updateJob, loaded.keepWork]) {
      shown = [];
      given({ ...base(), ...unsaved });
      await work(options(), 'k');
      deepStrictEqual(shown, ['The agent is at work.']);
    }
  });
});
