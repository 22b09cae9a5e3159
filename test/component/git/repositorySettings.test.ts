import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { disableRepositoryPrograms, tooManySettings } from '../../../src/git/repositorySettings';
import { Git, GitError, type GitPlace } from '../../../src/git/git';
import { git as plainGit, sampleRepository } from '../../support/temporaryRepository';

describe('disableRepositoryPrograms', function () {
  let folder: string;
  before(async () => {
    folder = await sampleRepository();
  });
  const git = new Git(process.env);

  /** Returns the git settings in the environment variables. */
  const settings = ({ environment = {} }: GitPlace): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: Number(environment['GIT_CONFIG_COUNT']) }, (_, index) => [
        environment[`GIT_CONFIG_KEY_${index}`] ?? '',
        environment[`GIT_CONFIG_VALUE_${index}`] ?? '',
      ]),
    );

  it('adds no settings for a repository that names no programs', async () => {
    assert.deepEqual(await disableRepositoryPrograms(git, { folder }), {
      folder,
      environment: { GIT_CONFIG_COUNT: '0' },
    });
  });

  it('disables filters, configured hooks, upload packs and merge options with any name', async () => {
    const set = (name: string, value: string) => plainGit(folder, 'config', '--add', name, value);
    await set('filter.a=b.c d.clean', 'x');
    await set('filter.a=b.c d.required', 'true');
    await set('hook.reference-transaction.event', 'reference-transaction');
    await set('hook.reference-transaction.command', 'x');
    await set('hook.Ä.b=c.enabled', 'true');
    await set('remote.a=b.c.uploadpack', 'x');
    await set('branch.a=b.c.mergeOptions', '-s x');
    assert.deepEqual(settings(await disableRepositoryPrograms(git, { folder })), {
      'branch.a=b.c.mergeoptions': '',
      'filter.a=b.c d.clean': '',
      'filter.a=b.c d.required': 'false',
      'hook.reference-transaction.enabled': 'false',
      'hook.Ä.b=c.enabled': 'false',
      'remote.a=b.c.uploadpack': 'git-upload-pack',
    });
  });

  it('overrides the repository’s settings', async () => {
    const place = await disableRepositoryPrograms(git, { folder });
    const read = (name: string) => git.run(place, ['config', '--get', name]);
    assert.equal(await read('hook.reference-transaction.enabled'), 'false\n');
    assert.equal(await read('filter.a=b.c d.clean'), '\n');
  });

  it('rejects a repository that names too many programs', async () => {
    for (const count of [1_001, 20_000]) {
      const many = await sampleRepository();
      const sections = Array.from({ length: count }, (_, index) => `[filter "f${index}"]\n\tclean = x\n`);
      await appendFile(join(many, '.git/config'), sections.join(''));
      await assert.rejects(disableRepositoryPrograms(git, { folder: many }), tooManySettings());
    }
  });

  it('rejects a name that is not valid UTF-8', async () => {
    for (const section of ['filter', 'merge', 'hook']) {
      const odd = await sampleRepository();
      const entry = `[${section} "a\xff"]\nclean = x\ndriver = x\ncommand = x\n`;
      await appendFile(join(odd, '.git/config'), Buffer.from(entry, 'latin1'));
      await assert.rejects(disableRepositoryPrograms(git, { folder: odd }), /isn’t valid UTF-8/, section);
    }
  });

  it('reads the settings of a repository again only if they may have changed', async () => {
    const repo = await sampleRepository();
    let count = 0;
    const counting = { run: (...args: Parameters<Git['run']>) => ((count += 1), git.run(...args)) };
    const read = async (): Promise<unknown[]> => [
      settings(await disableRepositoryPrograms(counting, { folder: repo })),
      count,
    ];
    const file = join(repo, '.git/config');
    assert.deepEqual(
      [await read(), await read()],
      [
        [{}, 1],
        [{}, 1],
      ],
    );
    await appendFile(file, '[filter "a"]\n\tclean = x\n');
    assert.deepEqual(
      [await read(), await read()],
      [
        [{ 'filter.a.clean': '' }, 2],
        [{ 'filter.a.clean': '' }, 2],
      ],
    );
    await writeFile(join(repo, 'more'), '');
    await appendFile(file, '[include]\n\tpath = ../more\n');
    await read();
    await writeFile(join(repo, 'more'), '[filter "b"]\n\tclean = x\n');
    assert.deepEqual(await read(), [{ 'filter.a.clean': '', 'filter.b.clean': '' }, 4]);
  });

  it('rejects when the names cannot be listed', async () => {
    const deaf = { run: () => Promise.reject(new GitError('git printed too much', undefined, 'x')) };
    await assert.rejects(disableRepositoryPrograms(deaf, { folder }), /printed too much/);
  });
});
