import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stashStamp, findUnfinishedOperation } from '../../../../src/extension/features/pull-requests/checkoutState';
import { git, sampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

describe('unfinished git operation', () => {
  let root: string;
  beforeEach(async () => {
    root = await sampleRepository();
  });

  /** Creates two branches that differ in one file and checks out `mine`. */
  async function diverge(folder = root): Promise<void> {
    await git(folder, 'switch', '--quiet', '-c', 'other');
    await commit(folder, 'Other\n');
    await git(folder, 'switch', '--quiet', '-c', 'mine', 'HEAD~1');
    await commit(folder, 'Mine\n');
  }

  async function commit(folder: string, text: string): Promise<void> {
    await writeFile(join(folder, 'README.md'), text);
    await git(folder, 'commit', '--quiet', '-am', 'Change the README');
  }

  it('is undefined when nothing is in progress or there is no repository', async () => {
    strictEqual(await findUnfinishedOperation(root), undefined);
    strictEqual(await findUnfinishedOperation(await temporaryFolder()), undefined);
  });

  for (const command of ['merge', 'rebase', 'cherry-pick', 'revert'] as const) {
    it(`is ${command} until aborted, even after its conflicts are resolved`, async () => {
      await diverge();
      await commit(root, 'Mine once more\n');
      await git(root, command, command === 'revert' ? 'HEAD~1' : 'other').catch(() => undefined);
      strictEqual(await findUnfinishedOperation(root), command);
      await git(root, 'add', '--all');
      strictEqual(await findUnfinishedOperation(root), command);
      await git(root, command, '--abort');
      strictEqual(await findUnfinishedOperation(root), undefined);
    });
  }

  it('is recognized between two commits of a series', async () => {
    await mkdir(join(root, '.git/sequencer'));
    await writeFile(join(root, '.git/sequencer/todo'), 'revert 1234567 Change\n');
    strictEqual(await findUnfinishedOperation(root), 'revert');
    await writeFile(join(root, '.git/sequencer/todo'), 'pick 1234567 Change\n');
    strictEqual(await findUnfinishedOperation(root), 'cherry-pick');
  });

  it('distinguishes applying patches from a rebase', async () => {
    await mkdir(join(root, '.git/rebase-apply'));
    strictEqual(await findUnfinishedOperation(root), 'rebase');
    await writeFile(join(root, '.git/rebase-apply/applying'), '');
    strictEqual(await findUnfinishedOperation(root), 'am');
  });

  it('belongs to its linked work tree only', async () => {
    const linked = join(await temporaryFolder(), 'linked');
    await git(root, 'worktree', 'add', '--quiet', '--detach', linked);
    await diverge(linked);
    await git(linked, 'merge', 'other').catch(() => undefined);
    strictEqual(await findUnfinishedOperation(linked), 'merge');
    strictEqual(await findUnfinishedOperation(root), undefined);
  });
});

describe('stashStamp', () => {
  it('changes with each created or dropped stash, in linked work trees too, but not with edits', async () => {
    const root = await sampleRepository();
    const linked = join(await temporaryFolder(), 'linked');
    await git(root, 'worktree', 'add', '--quiet', linked);
    const both = async (): Promise<string[]> => Promise.all([stashStamp(root), stashStamp(linked)]);
    const steps = [await both()];
    await writeFile(join(root, 'README.md'), 'Mine\n');
    deepStrictEqual(await both(), steps[0]);
    for (const command of ['push', 'drop']) {
      await git(root, 'stash', command, '--quiet');
      steps.push(await both());
    }
    for (const [own, shared] of steps) {
      strictEqual(own, shared);
    }
    notStrictEqual(steps[1]?.[0], steps[0]?.[0]);
    notStrictEqual(steps[2]?.[0], steps[1]?.[0]);
  });
});
