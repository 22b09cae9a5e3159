import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Snapshot } from '../../../../src/jobs/events';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import type { MergeForecast } from '../../../../src/protocol/localService';
import { followUpDraft } from '../../../../src/extension/sending/drafts';
import { commands, window } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const FORECAST: MergeForecast = { text: 'It works.', commit: 'c', into: 'main', head: 'h', deletes: null };

const done = snapshot('completed', { id: 'j', ref: 'docs-agent/j', prLink: 'http://127.0.0.1:1/review/j' });

/** The local service and the editor answer as each test says; the commands are real. */
describe('deciding about a local job in the editor', () => {
  const load = async () => ({
    ...(await import('../../../../src/extension/features/local-service/decideJob')),
    ...(await import('../../../support/jobDescriber')),
    ...(await import('../../../../src/protocol/errors')),
  });
  let loaded: Awaited<ReturnType<typeof load>>;
  let job: TrackedJob;
  /** What the service knows, and what is recorded here. */
  let review: 'merged' | 'closed' | null;
  const recorded = () => job.snapshot?.review;
  let requests: unknown[];
  let questions: string[];
  let shown: string[];
  /** The buttons of each message, and the one that the user presses. */
  let buttons: string[][];
  let press: string | undefined;
  let answer: boolean;
  let previews: MergeForecast[];
  let refusals: string[];
  let inFront: string | undefined;
  let comments: number;
  let undone: string | null;

  before(async () => (loaded = await load()));
  beforeEach(() => {
    job = trackedJob({ snapshot: done, endedAt: 1 });
    review = null;
    [requests, questions, shown, answer, refusals] = [[], [], [], true, []];
    [buttons, press, inFront, comments, undone] = [[], undefined, undefined, 0, 'main'];
    previews = [FORECAST];
    Object.assign(window, {
      showWarningMessage: async (text: string, modal: { detail?: string } | string | undefined, agree: string) => {
        if (typeof modal !== 'object') {
          shown.push(text);
          return press === modal ? modal : undefined;
        }
        questions.push(`${text} ${modal.detail ?? ''}`.trim());
        return answer ? agree : undefined;
      },
      showErrorMessage: async (text: string) => void shown.push(text),
      showInformationMessage: async (text: string, ...offered: string[]) => {
        shown.push(text);
        buttons.push(offered);
        return offered.find((each) => each === press);
      },
    });
  });

  const options = () => {
    const refuse = (): void => {
      const code = refusals.shift();
      if (code !== undefined) {
        throw new loaded.ServiceError('rejected', { effect: 'refused', status: 409, detail: code, coded: { code } });
      }
    };
    const describer = loaded.jobDescriber();
    return {
      openComments: async () => comments,
      store: {
        get: () => job,
        jobs: [job],
        record: async (_: string, event: { job: Snapshot }) => void (job = { ...job, snapshot: event.job }),
      },
      access: { lookUp: async () => ({ ...job.snapshot, review }) },
      picker: loaded.jobPicker({ get: () => job, jobs: [job] }, { activeJob: () => inFront, describer }),
      describer,
      localAccess: {
        mergePreview: async () => (previews.length > 1 ? previews.shift() : previews[0]),
        changes: async () => ({ files: [{}, {}], more: 1 }),
        merge: async (_: unknown, id: string, state: unknown) => {
          requests.push([id, state]);
          refuse();
          review = 'merged';
          return { branch: 'main', deleted: { branch: 'docs-agent/j', commit: 'c' } };
        },
        undoMerge: async (_: unknown, id: string) => {
          requests.push([id, 'undo']);
          refuse();
          review = null;
          return { branch: undone };
        },
        decide: async (_: unknown, id: string, decision: string) => {
          requests.push([id, decision]);
          refuse();
          review = decision === 'close' ? 'closed' : null;
        },
      },
    } as never;
  };

  it('asks once, naming the branch and the number of files, then merges what was shown', async () => {
    await loaded.mergeJob(options(), 'k');
    strictEqual(questions.length, 1);
    strictEqual(
      /^Accept “.*” and merge it into “main”\? In all, 3 files will change in your repository\.\n\nIt works\.$/s.test(
        questions[0] ?? '',
      ),
      true,
    );
    deepStrictEqual(requests, [['j', { commit: 'c', into: 'main', head: 'h' }]]);
    strictEqual(recorded(), 'merged');
    strictEqual(
      /^Accepted “.*”: merged into “main”\. The merge is only on this machine until you publish main, with Publish Branch or /.test(
        shown[0] ?? '',
      ),
      true,
      shown[0],
    );
  });

  it('shows invisible characters of the branch in the question', async () => {
    previews = previews.map((preview) => ({ ...preview, into: 'ma\u200bin' }));
    await loaded.mergeJob(options(), 'k');
    strictEqual(questions[0]?.includes('into “ma⟨U+200B⟩in”?'), true, questions[0]);
  });

  it('says in the question that the branch will be deleted, and that comments are unsent or open', async () => {
    previews = [{ ...FORECAST, deletes: 'docs-agent/j' }];
    comments = 2;
    answer = false;
    await loaded.mergeJob(options(), 'k');
    strictEqual(
      questions[0]?.split('It works.\n\n')[1],
      'Branch “docs-agent/j” is deleted afterward. “Undo Merge” undoes the merge and restores the branch.\n\n2 review comments are unsent or still open.',
    );
  });

  it('offers to undo the merge, after which the job is open again', async () => {
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([buttons.at(-1), recorded()], [['Undo Merge'], 'merged']);
    await loaded.undoMerge(options(), 'k');
    deepStrictEqual([requests.at(-1), recorded()], [['j', 'undo'], undefined]);
    strictEqual(/^Merge into “main” undone: .+$/.test(shown.at(-1) ?? ''), true, shown.at(-1));
    press = 'Undo Merge';
    undone = null;
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([requests.at(-1), recorded()], [['j', 'undo'], undefined]);
    strictEqual(/^No branch contains the merge of “.*”/.test(shown.at(-1) ?? ''), true, shown.at(-1));
  });

  it('says why a merge can’t be undone, and leaves the job merged', async () => {
    job = trackedJob({ snapshot: { ...done, review: 'merged' }, endedAt: 1 });
    refusals = ['undoLaterCommits'];
    await loaded.undoMerge(options(), 'k');
    deepStrictEqual([shown, recorded()], [['undoLaterCommits'], 'merged']);
  });

  it('merges nothing unless the user agrees', async () => {
    answer = false;
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([requests, recorded()], [[], undefined]);
  });

  it('asks again with the new state when it has changed in the meantime', async () => {
    previews = [FORECAST, { ...FORECAST, head: 'h2' }];
    refusals = ['branchChanged'];
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([questions.length, shown.length], [2, 1]);
    deepStrictEqual(requests.at(-1), ['j', { commit: 'c', into: 'main', head: 'h2' }]);
  });

  it('says why there is no branch to merge into, or why the merge is refused, and records nothing', async () => {
    previews = [{ ...FORECAST, into: '', head: '', text: 'No branch is checked out.' }];
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([questions, shown], [[], ['No branch is checked out.']]);
    previews = [FORECAST];
    refusals = ['conflictsIn'];
    await loaded.mergeJob(options(), 'k');
    deepStrictEqual([shown.length, recorded()], [2, undefined]);
  });

  it('offers a follow-up in which the agent resolves what conflicts with the base', async () => {
    const ran: unknown[] = [];
    const typed: unknown[] = [];
    Object.assign(commands, { executeCommand: async (...given: unknown[]) => void ran.push(given) });
    const params = { paths: 'docs/a.md', base: 'main', branch: 'docs-agent/j' };
    previews = [{ ...FORECAST, into: '', text: 'Conflicts.', coded: { code: 'conflictsWithBase', params } }];
    press = 'Ask the Agent to Resolve…';
    const drafts = { open: async () => '', type: (...given: unknown[]) => void typed.push(given) };
    await loaded.mergeJob({ ...(options() as object), drafts } as never, 'k');
    await new Promise((resolve) => setImmediate(resolve));
    deepStrictEqual(typed, [[followUpDraft('k'), 'Resolve the conflicts with main.']]);
    deepStrictEqual([questions, ran], [[], [['docsAgent.sendFollowUp', { jobKey: 'k' }]]]);
  });

  it('opens Source Control when git refuses', async () => {
    const ran: unknown[] = [];
    Object.assign(commands, { executeCommand: async (...given: unknown[]) => void ran.push(given) });
    previews = [FORECAST];
    refusals = ['notMerged'];
    press = 'Open Source Control';
    await loaded.mergeJob(options(), 'k');
    await new Promise((resolve) => setImmediate(resolve));
    deepStrictEqual([requests.length, recorded(), ran], [1, undefined, [['workbench.view.scm']]]);
  });

  it('closes without asking, and reopens only closed work', async () => {
    await loaded.decideReview(options(), 'close', 'k');
    strictEqual(recorded(), 'closed');
    await loaded.decideReview(options(), 'close', 'k');
    await loaded.decideReview(options(), 'reopen', 'k');
    strictEqual(recorded(), undefined);
    await loaded.decideReview(options(), 'reopen', 'k');
    deepStrictEqual(requests, [
      ['j', 'close'],
      ['j', 'reopen'],
    ]);
    deepStrictEqual([questions, shown.length], [[], 2]);
  });

  it('offers all actions that fit the state of an ended job', async () => {
    const offered: string[][] = [];
    const ran: unknown[] = [];
    Object.assign(commands, { executeCommand: async (...given: unknown[]) => void ran.push(given) });
    Object.assign(window, {
      showQuickPick: async (rows: { label: string }[]) => {
        offered.push(rows.map(({ label }) => label.replace(/^\S+ /, '')));
        return rows[0];
      },
    });
    const finish = async (change: Partial<TrackedJob> = {}): Promise<string[] | undefined> => {
      job = { ...job, ...change };
      await loaded.finishJob(options(), 'k');
      return offered.pop();
    };
    deepStrictEqual(await finish(), ['Merge…', 'Apply to My Files', 'Close', 'Archive']);
    deepStrictEqual(ran, [['docsAgent.mergeJob', { jobKey: job.key }]]);
    deepStrictEqual(await finish({ snapshot: { ...done, review: 'closed' } }), [
      'Reopen',
      'Apply to My Files',
      'Archive',
    ]);
    const pull = snapshot('completed', { prLink: 'https://github.com/a/b/pull/1' });
    deepStrictEqual(await finish({ snapshot: pull }), ['Open Pull Request', 'Archive']);
    deepStrictEqual(await finish({ snapshot: snapshot('failed') }), ['Archive']);
    deepStrictEqual(shown, []);
    deepStrictEqual(await finish({ snapshot: snapshot('active') }), undefined);
    // What is left to do with merged work is in the job's menu itself.
    deepStrictEqual(await finish({ snapshot: { ...done, review: 'merged' } }), undefined);
    const location = { service: 'https://x.example', baseUrl: 'https://x.example', projectId: 'p' };
    deepStrictEqual(await finish({ snapshot: pull, location }), undefined);
    strictEqual(shown.length, 3);
  });

  it('explains each action in one line', async () => {
    const explained = async (): Promise<Record<string, string>> => {
      let lines: Record<string, string> = {};
      Object.assign(window, {
        showQuickPick: async (rows: { label: string; detail?: string }[]) => {
          lines = Object.fromEntries(rows.map(({ label, detail }) => [label.replace(/^\$\S+ /, ''), detail ?? '']));
        },
      });
      await loaded.finishJob(options(), 'k');
      return lines;
    };
    deepStrictEqual(await explained(), {
      'Merge…': 'Accepts the changes: merges them into your branch as one commit',
      'Apply to My Files': 'Applies the changes to your files without committing them',
      Close: 'Discards the changes: closes the job, which you can reopen',
      Archive: 'Puts the job away and frees disk space; its branch stays',
    });
  });

  it('applies to the job whose changes are in front when started from the editor’s title bar', async () => {
    const titles: unknown[] = [];
    const about = (_: unknown, { title }: { title: string }): void => void titles.push(title);
    Object.assign(window, { showQuickPick: async (...given: [unknown, { title: string }]) => about(...given) });
    inFront = job.key;
    // The editor's title bar passes the URI of the editor.
    await loaded.finishJob(options(), { scheme: 'multi-diff-editor' });
    strictEqual(titles.length, 1);
    strictEqual(titles[0] === 'Select a job to accept (merge), discard (close), or put away (archive)', false);
  });

  const elsewhere: Record<string, Partial<TrackedJob>> = {
    'a pull request on a Git host': { snapshot: snapshot('completed', { prLink: 'https://github.com/a/b/pull/1' }) },
    'no work': { snapshot: snapshot('completed') },
    'an agent at work': { snapshot: snapshot('active', { prLink: 'http://127.0.0.1:1/review/j' }) },
    'another service': {
      location: { service: 'https://x.example', baseUrl: 'https://x.example', projectId: 'p' },
    },
  };
  for (const [what, change] of Object.entries(elsewhere)) {
    it(`is not offered for a job with ${what}`, async () => {
      job = { ...job, ...change };
      await loaded.mergeJob(options(), 'k');
      deepStrictEqual([requests, questions, shown.length], [[], [], 1]);
    });
  }
});
