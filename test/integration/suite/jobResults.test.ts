import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, TabInputTextDiff, Uri, window, workspace } from 'vscode';
import { JobResults, type JobResultsOptions } from '../../../src/extension/features/job-page/jobResults';
import { VERSION_SCHEME } from '../../../src/extension/platform/fileVersions';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import { Repositories } from '../../../src/extension/platform/repositories';
import type { Snapshot } from '../../../src/jobs/events';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { git } from '../../support/temporaryRepository';
import { snapshot, trackedJob } from '../../support/trackedJob';
import { activatedApi } from './support';

const REF = 'docs-agent/results';
describe('the results of jobs', function () {
  let folder: string;
  let root: string;
  before(async () => {
    await activatedApi();
    folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    root = join(folder, 'results');
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0);
    await git(folder, 'clone', '--quiet', folder, root);
    await (api as unknown as { openRepository(uri: Uri): Promise<unknown> }).openRepository(Uri.file(root));
    await git(root, 'switch', '--quiet', '-c', REF);
    await writeFile(join(root, 'new.md'), 'One\nTwo\n');
    await rename(join(root, 'docs/index.md'), join(root, 'docs/the start.md'));
    await rm(join(root, 'README.md'));
    await writeFile(join(root, 'logo.png'), Buffer.from([1, 0, 2]));
    await writeFile(join(root, 'src/retry.ts'), 'export const attempts = 5;\n');
    await git(root, 'add', '--all');
    await git(root, 'commit', '--quiet', '-m', 'Tidy up');
    await git(root, 'switch', '--quiet', 'main');
    // The remotes are known only after a status update.
    await api.getRepository(Uri.file(join(root, 'README.md')))?.status();
    await mkdir(join(root, 'docs'), { recursive: true });
  });
  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  });

  const job = (change: Partial<Snapshot>, more: Partial<TrackedJob> = {}): TrackedJob =>
    trackedJob({ snapshot: snapshot('completed', { ref: REF, ...change }), ...more });
  const hosted = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p' };

  const noText = { diff: async () => undefined, image: async () => null };

  function results(more: Partial<JobResultsOptions> = {}): JobResults {
    const nothing = (): undefined => undefined;
    return new JobResults({
      localAvailable: true,
      localAccess: { changes: async () => undefined, ...noText },
      keys: { redactDeep: (value) => value },
      repositories: new Repositories(),
      program: '',
      log: { info: nothing, warn: nothing, error: nothing },
      ...more,
    });
  }

  it('lists the changes of the branch in an open repository, with line counts', async () => {
    const source = results();
    const address = Uri.file(folder).toString();
    const result = await source.changes(job({ repository: address }, { location: hosted }));
    ok(result !== undefined);
    const { changes } = result;
    const files = changes.files.map(({ path, from, kind, added }) => [path, from, kind, added]);
    deepStrictEqual(files, [
      ['README.md', undefined, 'deleted', 0],
      ['docs/the start.md', 'docs/index.md', 'renamed', 0],
      ['logo.png', undefined, 'added', undefined],
      ['new.md', undefined, 'added', 2],
      ['src/retry.ts', undefined, 'changed', 1],
    ]);
    strictEqual(changes.canOpen, true);
    strictEqual(typeof result.check, 'function');
    const diff = new Map((await result.diff).map((file) => [file.path, file]));
    deepStrictEqual(diff.get('new.md')?.paragraphs, [[{ kind: 'inserted', text: 'One\nTwo' }]]);
    const logo = diff.get('logo.png');
    deepStrictEqual([logo?.before, logo?.after], [undefined, 'data:image/png;base64,AQAC']);
    ok(diff.get('src/retry.ts')?.paragraphs[0]?.some(({ kind }) => kind === 'deleted'));
    strictEqual(
      await source.changes(job({ repository: 'https://elsewhere.example/x/y' }, { location: hosted })),
      undefined,
    );
    strictEqual(await source.changes(job({ ref: 'no/such' })), undefined);
    strictEqual(await results({ localAvailable: false }).changes(job({})), undefined);
  });

  it('lists the changes that the local service reports while it runs', async () => {
    const file = { path: 'a\nb.md', kind: 'changed' as const, added: 1, deleted: null };
    const reported = { base: 'b', commit: 'c', files: [file], more: 2, added: 7, deleted: 5 };
    const source = results({ localAccess: { ...noText, changes: async () => reported } });
    const result = await source.changes(job({ ref: 'no/such' }));
    // Its commits are in no open repository.
    strictEqual(result?.check, undefined);
    deepStrictEqual(result?.changes, {
      files: [{ path: 'a b.md', kind: 'changed', added: 1, deleted: undefined }],
      ...{ more: 2, added: 7, deleted: 5, canOpen: false },
    });
    const failing = results({ localAccess: { ...noText, changes: async () => Promise.reject(new Error('no')) } });
    strictEqual((await failing.changes(job({})))?.changes.files.length, 5);
  });

  it('opens a changed or renamed file as a diff and an added one alone', async () => {
    const source = results();
    await source.openFile(job({}), 'docs/the start.md');
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    ok(input instanceof TabInputTextDiff);
    deepStrictEqual(
      [input.original, input.modified].map(({ scheme, path }) => [scheme, path.slice(root.length)]),
      [
        [VERSION_SCHEME, '/docs/index.md'],
        [VERSION_SCHEME, '/docs/the start.md'],
      ],
    );
    await source.openFile(job({}), 'new.md');
    ok(window.tabGroups.activeTabGroup.activeTab?.label.startsWith('new.md'));
    const before = window.tabGroups.all.flatMap(({ tabs }) => tabs).length;
    await source.openFile(job({}), '../../etc/passwd');
    strictEqual(window.tabGroups.all.flatMap(({ tabs }) => tabs).length, before);
  });
});
