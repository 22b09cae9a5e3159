import { strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unfinished } from '../../../../src/extension/review/unfinished';
import { git, temporaryFolder, sampleRepository } from '../../../support/temporaryRepository';

describe('what git has begun and not ended', () => {
  let root: string;
  beforeEach(async () => {
    root = await sampleRepository();
  });

  /** Two branches that differ in one file, `main` checked out. */
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

  it('is nothing in a repository at rest, nor where there is none', async () => {
    strictEqual(await unfinished(root), undefined);
    strictEqual(await unfinished(await temporaryFolder()), undefined);
  });

  for (const command of ['merge', 'rebase', 'cherry-pick', 'revert'] as const) {
    it(`is a ${command}, also with its conflicts resolved, until it is given up`, async () => {
      await diverge();
      await commit(root, 'Mine once more\n');
      await git(root, command, command === 'revert' ? 'HEAD~1' : 'other').catch(() => undefined);
      strictEqual(await unfinished(root), command);
      await git(root, 'add', '--all');
      strictEqual(await unfinished(root), command);
      await git(root, command, '--abort');
      strictEqual(await unfinished(root), undefined);
    });
  }

  it('is told apart between two of several commits', async () => {
    await mkdir(join(root, '.git/sequencer'));
    await writeFile(join(root, '.git/sequencer/todo'), 'revert 1234567 Change\n');
    strictEqual(await unfinished(root), 'revert');
    await writeFile(join(root, '.git/sequencer/todo'), 'pick 1234567 Change\n');
    strictEqual(await unfinished(root), 'cherry-pick');
  });

  it('is told apart from a rebase where patches are applied', async () => {
    await mkdir(join(root, '.git/rebase-apply'));
    strictEqual(await unfinished(root), 'rebase');
    await writeFile(join(root, '.git/rebase-apply/applying'), '');
    strictEqual(await unfinished(root), 'am');
  });

  it('is that of a linked working tree alone', async () => {
    const linked = join(await temporaryFolder(), 'linked');
    await git(root, 'worktree', 'add', '--quiet', '--detach', linked);
    await diverge(linked);
    await git(linked, 'merge', 'other').catch(() => undefined);
    strictEqual(await unfinished(linked), 'merge');
    strictEqual(await unfinished(root), undefined);
  });
});
