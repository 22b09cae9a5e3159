import { deepStrictEqual } from 'node:assert/strict';
import { promptHistory, promptsWith, sentPrompts } from '../../../../src/extension/features/prompt/box/promptHistory';
import { PromptTargets } from '../../../../src/extension/features/prompt/composer/promptTargets';
import type { OutgoingPrompt, PromptState, TrackedJob } from '../../../../src/jobs/trackedJob';
import { editor } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

function job(key: string, prompts: readonly OutgoingPrompt[], untracked = false): TrackedJob {
  return trackedJob({ key, prompts, untracked });
}

function send(prompt: string, at: number, state: PromptState = 'created'): OutgoingPrompt {
  return { id: `${prompt} ${at}`, kind: 'create', text: prompt, at, attempt: 1, state };
}

const told = (jobs: TrackedJob[]): [string, number, string][] =>
  sentPrompts(jobs).map(({ text, at, job: { key } }) => [text, at, key]);

describe('sent prompts', () => {
  it('are listed newest first with follow-ups, and identical ones once with their last job', () => {
    const jobs = [
      job('a', [send('One', 1), send('Two', 4)]),
      job('b', [send('One\n', 3)]),
      job('c', [send('Three', 2)]),
    ];
    deepStrictEqual(told(jobs), [
      ['Two', 4, 'a'],
      ['One', 3, 'b'],
      ['Three', 2, 'c'],
    ]);
  });

  it('include prompts that were not delivered yet, but no discarded ones', () => {
    const states: PromptState[] = ['queued', 'sending', 'rejected', 'waiting', 'unconfirmed', 'discarded'];
    const jobs = states.map((state, at) => job(state, [send(state, at, state)]));
    deepStrictEqual(
      told(jobs).map(([text]) => text),
      ['unconfirmed', 'waiting', 'rejected', 'sending', 'queued'],
    );
  });

  it('stay listed when their job is removed from the list', () => {
    deepStrictEqual(told([job('a', [send('One', 1)], true)]), [['One', 1, 'a']]);
  });

  it('are found by words anywhere in them, in any order and case', () => {
    const prompts = sentPrompts([job('a', [send('First line\n\nthe Retry policy', 1), send('Retry', 2)])]);
    const found = (search: string): number[] => promptsWith(prompts, search).map(({ at }) => at);
    deepStrictEqual(
      [found('policy FIRST'), found(' retry '), found('  '), found('retry never')],
      [[1], [2, 1], [2, 1], []],
    );
  });
});

describe('Drafts and Prompt History', () => {
  const location = { service: 'local', projectId: 'p', projectName: 'shop' };
  const running = trackedJob({ key: 'k', location, snapshot: snapshot('active'), prompts: [send('Explain', 1)] });

  /** The found drafts, without their times, and the box that the first one opens. */
  async function opened(search: string, taken: TrackedJob = running): Promise<unknown[]> {
    const done: unknown[] = [];
    const accept = new editor.EventEmitter<void>();
    const pick = {
      value: search,
      items: [] as { label: string; description?: string; draft?: object }[],
      selectedItems: [] as object[],
      onDidChangeValue: () => undefined,
      onDidTriggerItemButton: () => undefined,
      onDidAccept: accept.event,
      onDidHide: () => undefined,
      hide: () => undefined,
      show: () => {
        const found = pick.items.filter(({ draft }) => draft !== undefined);
        done.push(...found.map(({ label, description = '' }) => `${label}, ${description.split(' · ')[0] ?? ''}`));
        pick.selectedItems = found.slice(0, 1);
        accept.fire();
      },
    };
    Object.assign(editor.window, { createQuickPick: () => pick });
    editor.commands['executeCommand'] = async (...command: unknown[]) => void done.push(command);
    const typed = [
      { path: 'box~1', folder: 'local/p', text: 'New and typed', at: 3 },
      { path: 'box~2', folder: 'job/k', text: 'Also mention\nthe price', at: 2 },
      { path: 'box~3', folder: 'job/gone', text: 'Never shown', at: 4 },
    ];
    const store = { jobs: [taken], get: (key: string) => (key === 'k' ? taken : undefined) };
    await promptHistory({
      store,
      targets: new PromptTargets({ store, projects: { hostedService: () => undefined } } as never),
      composer: { list: async () => [{ path: 'file', folder: 'local/p', text: 'Composed', at: 1 }] },
      drafts: { flushAll: async () => undefined, files: { typed: async () => typed } },
      prompts: { ask: async ({ title, draft }: { title: string; draft: string }) => void done.push([title, draft]) },
    } as never);
    return done;
  }

  it('list what was typed in a box, newest first, and open that box with it', async () => {
    const followUp = '$(edit) Also mention, Follow-up to “Explain” in shop (local)';
    deepStrictEqual(await opened(''), [
      '$(edit) New and typed, shop (local service)',
      followUp,
      '$(edit) Composed, shop (local service)',
      ['New job for shop (local service)', 'local/p/box'],
    ]);
    deepStrictEqual(await opened('price'), [followUp, ['docsAgent.sendFollowUp', 'k']]);
  });

  it('open the page of a job that was removed with a follow-up typed on it', async () => {
    deepStrictEqual((await opened('price', { ...running, untracked: true })).at(-1), ['docsAgent.showJob', 'k']);
  });
});
