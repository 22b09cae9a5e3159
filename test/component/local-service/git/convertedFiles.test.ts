import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { commitTree, publishBranch } from '../../../../src/local-service/git/jobBranch';
import { type JobFolders, jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { findNewPointers } from '../../../../src/local-service/git/lfs';
import { stageWork } from '../../../../src/local-service/git/stageWork';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { whyNotPushed } from '../../../../src/local-service/git/whyNotPushed';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';
import { put } from '../../../support/mergeFixture';

const runner = new Git(process.env);
const BRANCH = 'docs-agent/j1';
const CRLF_PAGE = Array.from({ length: 100 }, (_, line) => `line ${line}\r\n`).join('');

interface Fixture {
  repo: string;
  folders: JobFolders;
  base: string;
  /** The names of the files that got back their style when the work was staged last. */
  kept: string[];
  /** Stages the work, and returns its tree. */
  stage: (mayChangeStyle?: boolean) => Promise<string>;
  /** The content of a file that was staged. */
  show: (path: string) => Promise<Buffer>;
}

/** A job in a repository with these files. */
async function fixture(files: Record<string, string | Buffer>): Promise<Fixture> {
  const folder = await temporaryFolder();
  const repo = join(folder, 'repository');
  await createSampleRepository(repo);
  for (const [path, content] of Object.entries(files)) {
    await put(repo, path, content);
  }
  await plainGit(repo, '-c', 'filter.lfs.clean=cat', 'add', '--all');
  await plainGit(repo, 'commit', '--quiet', '-m', 'Files');
  const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
  const folders = jobFolders(join(folder, 'job'));
  await prepareClones(runner, folders, repo, BRANCH, base);
  const kept: string[] = [];
  const stage = (mayChange = false): Promise<string> => {
    kept.length = 0;
    return stageWork(runner, folders, repo, base, mayChange ? undefined : (names) => kept.push(names));
  };
  const show = async (path: string): Promise<Buffer> => {
    const shown = runner.run(
      { folder: folders.hostGit, gitDir: folders.hostGit },
      ['cat-file', 'blob', `${await stage()}:${path}`],
      { bytes: true },
    );
    return Buffer.from(await shown, 'latin1');
  };
  return { repo, folders, base, kept, stage, show };
}

describe('files that an agent writes in another style', () => {
  const before = {
    'crlf.md': CRLF_PAGE,
    'bom.md': '\uFEFFone\ntwo',
    'mixed.md': 'one\r\n\ntwo\n\r\nthree\r\n',
    'plain.md': 'one\ntwo\n',
    'a.bin': 'a\r\nb\n\0',
  };
  const written = {
    'crlf.md': CRLF_PAGE.replaceAll('\r', '').replace('line 5\n', 'line five\n'),
    'bom.md': 'one\nTwo\n',
    'mixed.md': 'one\n\nTWO\n\nthree\n',
    'plain.md': 'one\r\ntwo\r\n',
    'a.bin': 'a\n\0',
  };

  it('keep the one that they had, so that only what was changed shows', async () => {
    const { folders, base, kept, stage } = await fixture(before);
    for (const [path, text] of Object.entries(written)) {
      await writeFile(join(folders.work, path), text);
    }
    const numbers = async (): Promise<string> => plainGit(folders.hostGit, 'diff', '--numstat', base, await stage());
    assert.equal(await numbers(), '-\t-\ta.bin\n1\t1\tbom.md\n1\t1\tcrlf.md\n1\t1\tmixed.md\n');
    assert.deepEqual(kept, ['bom.md, crlf.md, mixed.md, plain.md']);
    assert.equal(await readFile(join(folders.work, 'mixed.md'), 'utf8'), 'one\r\n\nTWO\n\r\nthree\r\n');
    assert.equal(await readFile(join(folders.work, 'bom.md'), 'utf8'), '\uFEFFone\nTwo');
    assert.equal(await numbers(), '-\t-\ta.bin\n1\t1\tbom.md\n1\t1\tcrlf.md\n1\t1\tmixed.md\n');
    assert.deepEqual(kept, []);
  });

  it('stay as they are if the prompt is about that', async () => {
    const { folders, base, stage } = await fixture(before);
    await writeFile(join(folders.work, 'crlf.md'), written['crlf.md']);
    const numbers = await plainGit(folders.hostGit, 'diff', '--numstat', base, await stage(true));
    assert.equal(numbers, '100\t100\tcrlf.md\n');
  });
});

describe('files under Git LFS', () => {
  const attributes = '*.png filter=lfs diff=lfs merge=lfs -text\n';
  const pointer = (content: string | Buffer): string =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;
  const [old, changed, large] = ['old', 'changed', Buffer.alloc(3_000_000, 'large')];

  it('are committed as pointers, with the content in the user’s repository', async () => {
    const { repo, folders, base, stage, show } = await fixture({
      '.gitattributes': attributes,
      'docs/a.png': pointer(old),
    });
    assert.equal(await stage(), (await plainGit(repo, 'rev-parse', `${base}^{tree}`)).trim());
    await put(folders.work, 'docs/a.png', changed);
    await put(folders.work, 'docs/new.png', large);
    await put(folders.work, 'docs/moved.png', pointer(old));
    await put(folders.work, 'docs/empty.png', '');
    assert.equal(String(await show('docs/a.png')), pointer(changed));
    assert.equal(String(await show('docs/new.png')), pointer(large));
    assert.equal(String(await show('docs/moved.png')), pointer(old));
    assert.equal(String(await show('docs/empty.png')), '');
    for (const content of [changed, large]) {
      const id = createHash('sha256').update(content).digest('hex');
      const object = join(repo, '.git/lfs/objects', id.slice(0, 2), id.slice(2, 4), id);
      assert.ok((await readFile(object)).equals(Buffer.from(content)));
    }
    assert.equal(await readFile(join(folders.work, 'docs/a.png'), 'utf8'), changed);
  });

  it('keep a branch from being pushed until the user’s own Git has uploaded them', async () => {
    const { repo, folders, base, stage } = await fixture({ '.gitattributes': attributes, 'docs/a.png': pointer(old) });
    const publish = async (): Promise<string> => {
      const author = { name: 'Robin', email: 'robin@example.org' };
      const message = 'Pictures\n\nDocs-Agent-Job: j1\n';
      const parent = (await plainGit(folders.hostGit, 'rev-parse', BRANCH)).trim();
      const commit = await commitTree(runner, folders, {
        branch: BRANCH,
        parent,
        tree: await stage(),
        message,
        author,
      });
      await publishBranch(runner, repo, folders.hostGit, BRANCH);
      return commit?.id ?? '';
    };
    const remote = { name: 'origin', url: 'https://example.org/docs.git', references: ['refs/remotes/origin/*'] };
    await plainGit(repo, 'update-ref', 'refs/remotes/origin/main', base);
    const why = (commit: string) => {
      const job = { id: 'j1', branch: BRANCH, baseCommit: base, pushedCommit: null, pushedTo: null };
      const parts = { git: runner, repository: new UserRepository(runner) };
      return whyNotPushed(parts, { job, commit, folder: repo, hostGit: folders.hostGit }, remote);
    };
    await put(folders.work, 'docs/copied.png', pointer(old));
    await put(repo, '.git/lfs/x', '');
    assert.equal(await why(await publish()), undefined);
    await put(folders.work, 'docs/x.md', 'x');
    const merged = await stage();
    await put(folders.work, 'docs/new.png', large);
    const commit = await publish();
    assert.deepEqual(await why(commit), {
      code: 'lfsNotUploaded',
      params: { names: 'docs/new.png', remote: 'origin', branch: BRANCH },
    });
    await plainGit(repo, 'update-ref', `refs/remotes/origin/${BRANCH}`, commit);
    assert.equal(await why(commit), undefined);
    // What git makes of a merge’s parents is a tree that the user’s repository lacks.
    const own = { folder: folders.hostGit, gitDir: folders.hostGit };
    assert.equal(await findNewPointers(runner, repo, own, merged, commit), 'docs/new.png');
  });
});

describe('files in another encoding that an agent saves as UTF-8', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const [encoding, encode] of [
    ['UTF-16', utf16],
    ['UTF-16LE-BOM', utf16],
    ['UTF-16BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ] as const) {
    // An even length is garbage for git, an odd one is an error.
    for (const text of ['Plain utf8!\n', 'Plain utf8\n', 'Grüße\n']) {
      it(`are committed as what they say: ${JSON.stringify(text)} in ${encoding}`, async () => {
        const attributes = `*.txt text working-tree-encoding=${encoding}\n`;
        const { folders, show } = await fixture({ '.gitattributes': attributes, 'docs/a.txt': encode('Old\n') });
        await writeFile(join(folders.work, 'docs/a.txt'), text);
        await writeFile(join(folders.work, 'docs/b.txt'), text);
        assert.equal(String(await show('docs/a.txt')), text);
        assert.equal(String(await show('docs/b.txt')), text);
        assert.deepEqual(await readFile(join(folders.work, 'docs/a.txt')), encode(text));
      });
    }
  }

  it('are refused by name if that can’t be mended', async () => {
    const { folders, stage } = await fixture({ '.gitattributes': '*.txt working-tree-encoding=UTF-32\n' });
    await writeFile(join(folders.work, 'docs/a.txt'), 'Plain utf8!!\n');
    await assert.rejects(stage(), (error) => {
      assert.ok(error instanceof TurnFailure);
      assert.match(error.message, /docs\/a\.txt/);
      return true;
    });
  });
});
