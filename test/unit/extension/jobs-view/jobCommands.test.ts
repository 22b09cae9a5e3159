import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { editor, commands, window } from '../../../support/fakeEditor';
import { untrackJob, markdownLink } from '../../../../src/extension/features/jobs-view/jobCommands';
import type { OutgoingPrompt } from '../../../../src/jobs/trackedJob';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import { readFileSync } from 'node:fs';
import { register } from '../../../../src/extension/features/jobs-view/register';
import type { JobNode } from '../../../../src/extension/features/jobs-view/jobsTree';
import { jobOfFocus } from '../../../../src/extension/features/jobs-view/focusedRow';
import { rowBeside, rowsForKey } from '../../../../src/extension/features/jobs-view/jobsView';
import type { CommandId } from '../../../../src/extension/ids';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';

/** Removes a job with a follow-up that waits, which has this state after it was discarded. */
async function remove(state: OutgoingPrompt['state']): Promise<{ shown: string[]; recorded: string[] }> {
  const [shown, recorded]: [string[], string[]] = [[], []];
  const send = { id: 's', kind: 'followUp', text: 'And then?', at: 0, attempt: 0 } as const;
  const location = { service: 'https://docs.example', projectId: 'p' };
  let job = trackedJob({ location, snapshot: snapshot('active'), prompts: [{ ...send, state: 'waiting' }] });
  Object.assign(editor.window, {
    showWarningMessage: async (_text: string, _options: object, choice: string) => choice,
    showInformationMessage: async (text: string) => void shown.push(text),
  });
  const append = async (_key: string, { type }: { type: string }) => void recorded.push(type);
  const store = { jobs: [job], get: () => job, append };
  const outbox = { discard: async () => void (job = { ...job, prompts: [{ ...send, state }] }) };
  await untrackJob({ store, outbox, picker: jobPicker(store) } as never, { jobKey: job.key });
  return { shown, recorded };
}

describe('Remove from List', () => {
  it('removes a job whose waiting follow-ups were discarded', async () => {
    deepStrictEqual((await remove('discarded')).recorded, ['untracked']);
  });

  it('leaves a job in the list when a follow-up can no longer be discarded, and says so', async () => {
    const { shown, recorded } = await remove('sending');
    deepStrictEqual(
      [recorded, shown],
      [
        [],
        [
          'A follow-up is already being sent, so the job stays in the list. Remove the job after the service has responded.',
        ],
      ],
    );
  });
});

interface KeyBinding {
  key: string;
  when?: string;
  command: CommandId;
  args?: unknown;
}

const { contributes } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  contributes: { keybindings: KeyBinding[] };
};

describe('keys in the list of jobs', () => {
  const row = (jobKey: string): JobNode => ({ kind: 'job', jobKey });
  const unsent: JobNode = { kind: 'job', jobKey: 'unsent', promptId: 's1' };
  const followUp: JobNode = { kind: 'send', jobKey: 'one', promptId: 's2' };
  const section: JobNode = { kind: 'section', id: 'state:done' };

  /** What a key does with the selected rows: the changes of jobs, and the commands and boxes that it opens. */
  async function press(key: string, ...selection: JobNode[]): Promise<unknown[]> {
    const done: unknown[] = [];
    const jobs = ['one', 'two', 'unsent'].map((name) => trackedJob({ key: name }));
    const store = {
      jobs,
      get: (name: string) => jobs.find((job) => job.key === name),
      append: async (name: string, { type }: { type: string }) => void done.push([name, type]),
    };
    Object.assign(commands, { executeCommand: async (...given: unknown[]) => void done.push(given) });
    Object.assign(window, {
      showInputBox: async () => 'New name',
      showInformationMessage: async () => undefined,
      showQuickPick: async () => void done.push('a pick'),
    });
    const options = {
      ...{ store, picker: jobPicker(store), outbox: {} },
      tree: { getParent: () => section, getChildren: () => [...selection, row('next')] },
      view: { rowsForKey: async () => selection, focus: async (to?: JobNode) => void (to && done.push('focus')) },
    };
    const { command, args } = contributes.keybindings.find((binding) => binding.key === key)!;
    await register(options as never)[command]?.(args);
    return done;
  }

  describe('apply to the focused row first, and to all selected rows if it is one of them', () => {
    for (const [what, { selection, stale, focus, next = focus, rows }] of Object.entries<{
      selection: string[];
      /** What the editor reported last, if that is not the selection. */
      stale?: string[];
      focus: string | undefined;
      /** The focus at the second toggle. */
      next?: string;
      rows: string[];
    }>({
      'another row': { selection: ['a'], focus: 'b', rows: ['b'] },
      'the selected row': { selection: ['a'], focus: 'a', rows: ['a'] },
      'one of the selected rows': { selection: ['a', 'b'], focus: 'b', rows: ['b', 'a'] },
      'a row beside several selected ones': { selection: ['a', 'b'], focus: 'c', rows: ['c'] },
      'a row when none is selected': { selection: [], focus: 'b', rows: ['b'] },
      'no row': { selection: ['a'], focus: undefined, rows: [] },
      'a row beside one that lost its selection': { selection: [], stale: ['a'], focus: 'b', rows: ['b'] },
      'the row that lost its selection': { selection: [], stale: ['a'], focus: 'a', rows: ['a'] },
      'another row in the meantime': { selection: ['a'], focus: 'b', next: 'c', rows: [] },
    })) {
      it(`when the focus is on ${what}`, async () => {
        let actual = selection;
        let wanted = focus;
        const changed = new editor.EventEmitter<undefined>();
        const view = { selection: stale ?? selection, onDidChangeSelection: changed.event };
        const toggle = async (): Promise<void> => {
          const others = actual.filter((row) => row !== wanted);
          actual = others.length < actual.length || wanted === undefined ? others : [...others, wanted];
          wanted = next;
          // The editor reports the selection only after the command.
          setImmediate(() => {
            view.selection = actual;
            changed.fire(undefined);
          });
        };
        Object.assign(commands, { executeCommand: toggle });
        deepStrictEqual(await rowsForKey(view as never), rows);
        if (next === focus) {
          deepStrictEqual(actual.toSorted(), selection.toSorted());
        }
      });
    }
  });

  it('rename the first selected job with F2, and no other row', async () => {
    deepStrictEqual(await press('f2', row('two'), row('one')), [['two', 'renamed']]);
    deepStrictEqual(await press('f2', followUp), []);
    deepStrictEqual(await press('f2', section), []);
    deepStrictEqual(await press('f2'), []);
  });

  it('remove the selected jobs and findings with Delete, and discard the selected unsent prompts', async () => {
    deepStrictEqual(await press('delete', row('one'), row('two')), [
      'focus',
      ['one', 'untracked'],
      ['two', 'untracked'],
    ]);
    deepStrictEqual(await press('delete', followUp), ['focus', ['docsAgent.discardPrompt', followUp]]);
    deepStrictEqual(await press('delete', unsent), ['focus', ['docsAgent.discardPrompt', unsent]]);
    deepStrictEqual(await press('delete', row('one'), followUp), ['focus', ['one', 'untracked']]);
    const finding: JobNode = { kind: 'finding', findings: [1] };
    deepStrictEqual(await press('delete', finding), ['focus', ['docsAgent.dismissFindings', [finding]]]);
    deepStrictEqual(await press('delete', section), []);
    deepStrictEqual(await press('delete'), []);
  });

  it('leave the focus on the next row of the section after Delete, or on the last one', () => {
    const all = ['one', 'two', 'three'].map(row);
    const tree = { getParent: () => section, getChildren: () => all };
    const beside = (...names: string[]): string =>
      JSON.stringify(
        rowBeside(
          tree,
          names.flatMap((name) => all.filter((each) => each.kind === 'job' && each.jobKey === name)),
        ),
      );
    strictEqual(beside('one'), JSON.stringify(row('two')));
    strictEqual(beside('one', 'two'), JSON.stringify(row('three')));
    strictEqual(beside('three', 'one'), JSON.stringify(row('two')));
    strictEqual(beside('two', 'one', 'three'), undefined);
  });
});

describe('the job that a command is about', () => {
  /** What the focus decides, and the jobs that the user is asked about; the second one is picked. */
  async function decide(
    id: CommandId,
    argument: unknown,
    { focused, active }: { focused?: string; active?: string },
  ): Promise<{ job: unknown; asked: string[] }> {
    const asked: string[] = [];
    const jobs = ['one', 'two', 'three'].map((name) =>
      trackedJob({
        key: name,
        title: name,
        snapshot: snapshot(name === 'three' ? 'active' : 'completed', { id: name }),
        endedAt: name === 'three' ? undefined : 1,
      }),
    );
    const store = { jobs, get: (name: string) => jobs.find((job) => job.key === name) };
    Object.assign(window, {
      showQuickPick: async (items: { label: string }[]) => {
        asked.push(...items.map(({ label }) => label));
        return items[1];
      },
    });
    const picker = jobPicker(store, { activeJob: () => active });
    const describer = { contextOf: ({ key }: { key: string }) => ({ comments: key === 'one' ? 1 : 0 }) };
    const app = { store, picker, describer, view: { focusedJob: async () => focused } } as never;
    const job = await jobOfFocus(app, id, argument);
    return { job, asked };
  }
  const followUp = contributes.keybindings.filter(({ command }) => command === 'docsAgent.sendFollowUp');
  const inList = followUp.find(({ when = '' }) => when.includes('focusedView == '))!;
  const elsewhere = followUp.find((key) => key !== inList)!;

  it('is that of the focused row for the follow-up key in the list, and the one in front on other rows', async () => {
    const open = { active: 'two' };
    deepStrictEqual((await decide(inList.command, inList.args, { ...open, focused: 'one' })).job, { jobKey: 'one' });
    strictEqual((await decide(inList.command, inList.args, open)).job, undefined);
    strictEqual((await decide(elsewhere.command, elsewhere.args, { ...open, focused: 'one' })).job, undefined);
  });

  it('is that of the focused row for the key that sends comments, if it has any, otherwise the one in front', async () => {
    const send = (focused: string) =>
      decide('docsAgent.sendReviewComments', { row: 'focused' }, { focused, active: 'two' });
    deepStrictEqual(await send('one'), { job: { jobKey: 'one' }, asked: [] });
    deepStrictEqual(await send('two'), { job: undefined, asked: [] });
  });

  it('is asked for from the palette if the focused row and the editor are about different jobs', async () => {
    deepStrictEqual(await decide('docsAgent.finishJob', undefined, { focused: 'one', active: 'two' }), {
      job: { jobKey: 'two' },
      asked: ['one', 'two'],
    });
    Object.assign(window, { activeTextEditor: {} });
    deepStrictEqual((await decide('docsAgent.finishJob', undefined, { focused: 'one', active: 'two' })).asked, [
      'two',
      'one',
    ]);
    Object.assign(window, { activeTextEditor: undefined });
    for (const state of [{ focused: 'one' }, { active: 'two' }, { focused: 'two', active: 'two' }]) {
      deepStrictEqual(await decide('docsAgent.finishJob', undefined, state), { job: undefined, asked: [] });
    }
    const differ = { focused: 'one', active: 'two' };
    deepStrictEqual((await decide('docsAgent.finishJob', { jobKey: 'one' }, differ)).asked, []);
    deepStrictEqual((await decide('docsAgent.refreshJobs', undefined, differ)).asked, []);
    const running = { focused: 'three', active: 'two' };
    deepStrictEqual((await decide('docsAgent.finishJob', undefined, running)).asked, [], 'only one has ended');
  });
});

describe('markdownLink', () => {
  it('contains the title and the address', () => {
    strictEqual(
      markdownLink('Document the retries', 'https://github.com/acme/docs/pull/12'),
      '[Document the retries](https://github.com/acme/docs/pull/12)',
    );
  });

  it('escapes markup in the title', () => {
    strictEqual(
      markdownLink('a ](b) `c` <d>\n*e*', 'https://x.example'),
      '[a \\](b) \\`c\\` \\<d\\> \\*e\\*](https://x.example)',
    );
  });

  it('encodes in the address what would end it', () => {
    strictEqual(markdownLink('a', 'https://x.example/(\u2003<\\>)'), '[a](https://x.example/%28%E2%80%83%3C%5C%3E%29)');
  });

  it('renders as the title linked to the address for any title', () => {
    const markdown = new MarkdownIt({ html: true });
    const titles = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'[]()<>`*_\\!~|&a #-1.'.split(/(?:)/)) }),
      fc.string(),
    );
    fc.assert(
      fc.property(titles, (title) => {
        // Titles with control characters or lone surrogates do not render unchanged.
        fc.pre(!/[\p{Cc}\p{Cs}]/u.test(title) && title.trim() !== '');
        const [inline] = markdown
          .parse(`x ${markdownLink(title, 'https://x.example/(a)')} y`, {})
          .filter(({ type }) => type === 'inline');
        const all = inline?.children ?? [];
        const link = all.find(({ type }) => type === 'link_open');
        strictEqual(link?.attrGet('href'), 'https://x.example/%28a%29');
        deepStrictEqual(
          all.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'text_special'),
          ['link_open', 'link_close'],
        );
        const inside = all.slice(all.indexOf(link) + 1, -2).map(({ content }) => content);
        strictEqual(inside.join(''), title.replace(/\s+/g, ' ').trim());
      }),
      { numRuns: 1000 },
    );
  });
});
