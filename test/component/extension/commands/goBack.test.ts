import { deepStrictEqual, match } from 'node:assert/strict';
import { basename } from 'node:path';
import { window } from '../../../support/fakeEditor';
import { FakeGit } from '../../../support/fakeGit';
import { temporaryFolder } from '../../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const KEPT = 'Your changes are in the latest stash. Restore them with “Git: Pop Latest Stash”.';

describe('going back from a job’s branch', () => {
  let goBack: typeof import('../../../../src/extension/features/pull-requests/checkoutPullRequest').goBack;
  let git: FakeGit;
  let told: string[];
  let warned: string[];
  let asked: { text: string; detail: string }[];

  before(async () => {
    ({ goBack } = await import('../../../../src/extension/features/pull-requests/checkoutPullRequest'));
  });
  beforeEach(async () => {
    git = new FakeGit(await temporaryFolder());
    git.head = 'job';
    git.changed = ['a.md'];
    [told, warned, asked] = [[], [], []];
    Object.assign(window, {
      showInformationMessage: async (text: string) => void told.push(text),
      showWarningMessage: async (text: string, modal: { detail: string } | undefined, agree: string) => {
        if (modal === undefined) {
          warned.push(text);
          return undefined;
        }
        asked.push({ text, detail: modal.detail });
        return agree;
      },
    });
  });

  it('says where the branch’s edits are when nothing had been stashed before', async () => {
    await goBack(git, { before: 'main', stash: undefined }, log);
    deepStrictEqual([git.head, git.stashes.length], ['main', 1]);
    deepStrictEqual(told, [`Back on main. ${KEPT}`]);
  });

  it('stashes nothing when the target commit is already checked out', async () => {
    [git.head, git.isDetached] = ['1'.repeat(40), true];
    await goBack(git, { before: git.head, stash: undefined }, log);
    deepStrictEqual([asked, git.stashes, told], [[], [], ['Back on 1111111.']]);
  });

  it('says where the branch’s edits are when the earlier stash is already gone', async () => {
    const stash = { commit: 'gone', message: 'Before', hasIndex: false };
    await goBack(git, { before: 'main', stash }, log);
    deepStrictEqual(told, [`Back on main. ${KEPT}`]);
  });

  for (const [what, popFails, now] of [
    ['are back', false, 'Your files weren’t changed.'],
    ['stay in a stash', true, KEPT],
  ] as const) {
    it(`reports exactly what happened when only some changes were stashed and ${what}`, async () => {
      git.stashLeaves = ['a.md'];
      git.popFails = popFails;
      await goBack(git, { before: 'main', stash: undefined }, log);
      const start = `Some changes in ${basename(git.repository.rootUri.fsPath)} couldn’t be stashed`;
      deepStrictEqual(warned, [`${start}, so main wasn’t checked out. ${now}`]);
    });
  }

  it('asks before stashing and explains how to get the changes back', async () => {
    await goBack(git, { before: 'main', stash: undefined }, log);
    match(asked[0]?.text ?? '', /Stash them and go back to main\?$/);
    match(asked[0]?.detail ?? '', /^They’re kept in a stash until you bring them back with “Git: Pop Latest Stash”\./);
  });

  it('gives each stash a unique message so that an interrupted one can be identified', async () => {
    for (const head of ['job', 'other']) {
      [git.head, git.changed] = [head, ['a.md']];
      await goBack(git, { before: 'main', stash: undefined }, log);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const own = git.stashes.map(({ message }) => message.replace(/^On \w+: Before checking out main/, ''));
    deepStrictEqual([own.length, new Set(own).size], [2, 2]);
  });
});
