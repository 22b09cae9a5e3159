import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../src/checks/finding';
import { type RenamedRepository, renamedRepository } from '../../support/checkedRepositories';
import { checkLines, checkPages, namesIn } from '../../support/runCheck';
import { seed } from '../../support/scale';
import { git, temporaryFolder } from '../../support/temporaryRepository';

async function commit(folder: string, files: Record<string, string>, subject: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', subject);
}

async function repository(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet');
  await commit(folder, files, 'Start');
  return folder;
}

describe('check for names that are gone from the code', () => {
  let planted: RenamedRepository;

  before(async () => {
    planted = await renamedRepository(seed);
  });

  it('finds at least 28 of 30 with their successors, and reports no name that is still right', async () => {
    const { findings } = await checkPages([planted.folder]);
    const places = findings.map(({ place: { path, line } }) => `${path}:${line}`);
    const found = planted.renames.filter(({ path, line }) => places.includes(`${path}:${line}`));
    const missed = planted.renames.filter((each) => !found.includes(each)).map(({ shown }) => shown);
    ok(found.length >= 28, `missed ${missed.join(', ')}`);
    const expected = new Set(planted.renames.map(({ shown }) => shown));
    deepStrictEqual(
      namesIn(findings, 'gone-name').filter((name) => !expected.has(name)),
      [],
    );
    for (const finding of findings) {
      ok(finding.rule === 'gone-name');
      strictEqual(finding.evidence?.commit.commit, planted.renaming);
      const { successor } = planted.renames.find(({ shown }) => shown === finding.name)!;
      const plain = (name: string): string => name.replace(/^settings\.|\W|_/g, '').toLowerCase();
      strictEqual(plain(finding.successor ?? ''), plain(successor), finding.name);
    }
  });

  it('reports the exact place of a name', async () => {
    const { findings } = await checkPages([planted.folder]);
    const page = await git(planted.folder, 'show', `HEAD:${findings[0]!.place.path}`);
    const { line, column, endColumn } = findings[0]!.place;
    const [first] = findings;
    ok(first?.rule === 'gone-name');
    strictEqual(page.split('\n')[line - 1]?.slice(column - 1, endColumn - 1), first.name);
  });

  it('reports none in a shallow clone, and says that it is shallow', async () => {
    const clone = await temporaryFolder();
    await git(clone, 'clone', '--quiet', '--depth=1', `file://${planted.folder}`, 'c');
    const { findings, coverage } = await checkPages([join(clone, 'c')]);
    deepStrictEqual(findings, []);
    deepStrictEqual(coverage.notChecked, [{ reason: 'shallow', count: coverage.pages }]);
  });

  it('does not report a name that another repository of the workspace has', async () => {
    const folder = await repository({ 'src/a.ts': 'export const oldName = 1;\n', 'docs/a.md': 'Use `oldName`.\n' });
    await commit(folder, { 'src/a.ts': 'export const newName = 1;\n' }, 'Rename');
    const other = await repository({ 'src/b.ts': 'export const oldName = 1;\n' });
    deepStrictEqual(namesIn((await checkPages([folder])).findings, 'gone-name'), ['oldName']);
    deepStrictEqual((await checkPages([folder, other])).findings, []);
  });

  it('finds a name that another repository of the workspace used to have', async () => {
    const code = await repository({ 'src/b.ts': 'export const oldName = 1;\n' });
    const docs = await repository({ 'guide.md': 'Use `oldName`.\n' });
    await commit(code, { 'src/b.ts': 'export const newName = 1;\n' }, 'Rename');
    // After the page was written: the date is all that two repositories have in common.
    await git(code, 'commit', '--quiet', '--amend', '--no-edit', '--date=2090-01-01T00:00:00Z');
    await git(code, 'rebase', '--quiet', '--force-rebase', '--committer-date-is-author-date', 'HEAD~1');
    const { findings } = await checkPages([docs, code]);
    deepStrictEqual(
      findings.map((finding) => finding.rule === 'gone-name' && [finding.name, finding.successor]),
      [['oldName', 'newName']],
    );
  });

  it('does not report a name that was already gone when its line was written', async () => {
    const folder = await repository({ 'src/a.ts': 'export const oldName = 1;\n', 'docs/a.md': 'Text.\n' });
    await commit(folder, { 'src/a.ts': 'export const newName = 1;\n' }, 'Rename');
    await commit(folder, { 'docs/a.md': 'Not `oldName`.\n' }, 'Describe');
    deepStrictEqual((await checkPages([folder])).findings, []);
  });

  it('finds paths of moved files, even those relative to a package in a monorepo', async () => {
    const folder = await repository({
      'packages/one/src/client.ts': 'export const a = 1;\n',
      'packages/one/README.md': 'See `src/client.ts`.\n',
    });
    await mkdir(join(folder, 'packages/one/src/net'));
    await rename(join(folder, 'packages/one/src/client.ts'), join(folder, 'packages/one/src/net/client.ts'));
    await commit(folder, {}, 'Move the client');
    const { findings } = await checkPages([folder]);
    deepStrictEqual(
      findings.map((finding) => finding.rule === 'gone-name' && [finding.kind, finding.name, finding.successor]),
      [['file', 'src/client.ts', 'packages/one/src/net/client.ts']],
    );
  });

  it('finds scripts that no manifest has anymore, each with its successor and its commit', async () => {
    const manifest = (scripts: object): string => JSON.stringify({ name: 'a', scripts, private: true }, null, 2);
    const folder = await repository({
      'package.json': manifest({ build: 'x', serve: 'vite', 'lint:docs': 'y', moved: 'z' }),
      Makefile: 'all: x\n\nold_docs:\n\tx\n\nkept:\n\tx\n',
      justfile: 'old-check:\n  x\n',
      'docs/a.md':
        '```sh\n$ npm install && npm run serve\nmake old_docs\n```\n\n`pnpm run -r lint:docs`, `npm run moved`, `npm run build`,\n`npm run never`, `make kept`, `just old-check`, `yarn run serve`\n',
    });
    await commit(
      folder,
      {
        'package.json': manifest({ build: 'x', dev: 'vite', 'lint:pages': 'y' }),
        'packages/b/package.json': manifest({ moved: 'z' }),
        Makefile: 'all: x\n\ndocs:\n\tx\n\nkept:\n\tx\n',
        justfile: 'other:\n  z\n',
      },
      'Rename scripts',
    );
    await commit(folder, { 'docs/b.md': 'Run `npm run serve`, `make old_docs`, or `make never`.\n' }, 'Describe');
    const all = [
      ['docs/a.md:2', 'npm run serve', 'npm run dev'],
      ['docs/a.md:3', 'make old_docs', 'make docs'],
      ['docs/a.md:6', 'pnpm run -r lint:docs', 'pnpm run -r lint:pages'],
      ['docs/a.md:7', 'just old-check', 'just other'],
      ['docs/a.md:7', 'yarn run serve', 'yarn run dev'],
      ['docs/b.md:1', 'make old_docs', 'make docs'],
      ['docs/b.md:1', 'npm run serve', 'npm run dev'],
    ];
    const said = (findings: readonly Finding[]): unknown[] =>
      findings
        .map((finding) => {
          ok(finding.rule === 'gone-name' && finding.kind === 'script' && finding.certainty === 'certain');
          strictEqual(finding.evidence?.commit.subject, 'Rename scripts');
          return [`${finding.place.path}:${finding.place.line}`, finding.name, finding.successor];
        })
        .toSorted((one, other) => (one.join() < other.join() ? -1 : 1));
    deepStrictEqual(said((await checkPages([folder])).findings), all);
    deepStrictEqual(said((await checkLines(folder, 'HEAD~1', 'HEAD')).findings), all.slice(5));
    const ignore = [{ name: 'npm run serve', reason: 'It is that of another repository.' }];
    const kept = said((await checkPages([folder], { ignore })).findings);
    deepStrictEqual(
      kept,
      all.filter(([, name]) => name !== 'npm run serve'),
    );
  });

  it('reports no script that no page named while a manifest had it', async () => {
    const folder = await repository({
      'package.json': '{ "scripts": { "serve": "x" } }\n',
      'docs/a.md': 'Run `npm run serve:all`.\n',
    });
    await commit(folder, { 'package.json': '{ "scripts": { "dev": "x" } }\n' }, 'Rename');
    await commit(folder, { 'docs/b.md': 'Run `npm run serve` in your project.\n' }, 'Describe');
    deepStrictEqual((await checkPages([folder])).findings, []);
  });

  it('covers files and pages whose paths git quotes', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const folder = await repository({
      'src/"a" \\ \t\u0001b.ts': 'export const firstName = 1;\n',
      'docs/"b" \\ \t\u0001é.md': 'Set `firstName`. See `src/"a".ts`.\n',
    });
    await git(folder, 'rm', '--quiet', '-r', 'src');
    await commit(folder, { 'c.ts': 'export const other = 1;\n' }, 'Remove it');
    const { findings } = await checkPages([folder]);
    deepStrictEqual(
      findings.map(({ place, ...finding }) => [place.path, finding.rule === 'gone-name' && finding.name]),
      [['docs/"b" \\ \t\u0001é.md', 'firstName']],
    );
  });

  it('covers files with line breaks in their names', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const folder = await repository({
      'src/a\nb.ts': 'export const firstName = 1;\n',
      'src/c.ts': 'export const secondName = 1;\n',
      'docs/a.md': 'Set `firstName` and `secondName`.\n',
    });
    await git(folder, 'rm', '--quiet', '-r', 'src');
    await commit(folder, { 'c.ts': 'export const other = 1;\n' }, 'Remove it');
    deepStrictEqual(namesIn((await checkPages([folder])).findings, 'gone-name').toSorted(), [
      'firstName',
      'secondName',
    ]);
  });

  it('ignores names of other software and of the reader’s own files', async () => {
    const folder = await repository({
      'src/a.ts': [
        "import { foreignType } from 'other';",
        'export const own = (value: foreignType) => value.foreignCall();',
        '// see foreignComment',
        "send({ 'x-foreign-header': own });",
        'export const ownOption = 1;',
        'export class OwnClient {}',
      ].join('\n'),
      'test/a.test.ts': 'const localName = 1;\nclass foreignType {}\n',
      'package.json': '{ "dependencies": { "foreignPackage": "1" } }\n',
      'vendor/a.go': 'var foreignVendor = 1\n',
      'settings.json': '{}\n',
      'template/src/main.ts': 'start();\n',
      'docs/a.md': [
        'foreignType',
        'foreignCall()',
        'foreignComment',
        'x-foreign-header',
        'localName',
        'foreignPackage',
        'foreignVendor',
        'foreign.OwnClient',
        'git add --own-option',
        'settings.json',
        'src/main.ts',
        'template/src/main.ts',
        'own-option',
        'OwnClient',
      ]
        .map((name) => `- \`${name}\`\n`)
        .join(''),
    });
    await git(folder, 'rm', '--quiet', '-r', 'src', 'test', 'vendor', 'template', 'package.json', 'settings.json');
    await commit(folder, { 'src/b.ts': 'export const other = 1;\n' }, 'Remove all');
    const { findings } = await checkPages([folder]);
    deepStrictEqual(namesIn(findings, 'gone-name').toSorted(), ['OwnClient', 'own-option']);
  });

  it('follows the repository’s settings', async () => {
    const files = { 'src/a.ts': 'export const oldName = 1;\n', 'docs/a.md': 'Use `oldName`.\n', 'b.md': '`oldName`\n' };
    const folder = await repository(files);
    await commit(folder, { 'src/a.ts': 'export const newName = 1;\n' }, 'Rename');
    const pathsWith = async (settings: object): Promise<string[]> =>
      (await checkPages([folder], settings)).findings.map(({ place }) => place.path);
    deepStrictEqual((await pathsWith({})).toSorted(), ['b.md', 'docs/a.md']);
    deepStrictEqual(await pathsWith({ documentation: ['docs/**'] }), ['docs/a.md']);
    deepStrictEqual(await pathsWith({ code: ['lib/**'] }), []);
    deepStrictEqual(await pathsWith({ ignore: [{ name: 'oldName', reason: 'It is the name of a product.' }] }), []);
  });

  it('reports no name that may be in an unread file, however the repository configures git', async () => {
    const kept = { 'z.ts': 'export const firstName = 2;', 'a.md': 'Set `firstName`.\n' };
    const folder = await repository({ 'a.ts': 'export const firstName = 1;', ...kept });
    await commit(folder, { 'a.ts': 'export const secondName = 1;' }, 'Rename');
    await git(folder, 'config', 'color.ui', 'always');
    await git(folder, 'config', 'grep.lineNumber', 'true');
    await git(folder, 'config', 'grep.column', 'true');
    const { findings, coverage } = await checkPages([folder], {}, { codeFiles: 1 });
    deepStrictEqual(namesIn(findings, 'gone-name'), []);
    deepStrictEqual(coverage.notChecked, [{ reason: 'files', count: 1 }]);
  });

  it('lists what was not checked when there is too much', async () => {
    const few = { pages: 2, commits: 1, codeFiles: 1 };
    const { coverage } = await checkPages([planted.folder], {}, few);
    const reasons = coverage.notChecked.map(({ reason }) => reason);
    ok(reasons.includes('files') && reasons.includes('commits'), reasons.join());
    strictEqual(coverage.pages, 2);
  });
});
