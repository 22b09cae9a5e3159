import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, TabInputTextDiff, Uri, window, workspace } from 'vscode';
import {
  AgentActivityFeed,
  type AgentActivityFeedOptions,
} from '../../../src/extension/features/job-page/agentActivityFeed';
import type { Story } from '../../../src/extension/features/job-page/model';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import { Repositories } from '../../../src/extension/platform/repositories';
import { DIRECT } from '../../../src/base/network';
import { LOCAL_SERVICE, type Snapshot } from '../../../src/jobs/events';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import type { ActivityEntry } from '../../../src/protocol/activity';
import { ScriptedServer } from '../../support/scriptedServer';
import { git } from '../../support/temporaryRepository';
import { snapshot, trackedJob } from '../../support/trackedJob';
import { activatedApi } from './support';

const REF = 'docs-agent/story';
const KEY = 'local_0123456789abcdef';

/** What a local service reports about a running job. */
const ENTRIES: ActivityEntry[] = [
  { kind: 'state', state: 'running' },
  { kind: 'plan', steps: [{ text: 'Read the code', state: 'in_progress' }] },
  {
    kind: 'tool',
    call: 'c',
    title: 'Edit\n a.md',
    tool: 'edit',
    state: 'in_progress',
    files: ['a.md', '/etc/x', '../y'],
  },
  { kind: 'message', text: `First line ${KEY}\n\nSecond\u202E line` },
  { kind: 'permission', title: 'rm -r', tool: 'execute', answer: 'refused', why: 'Commands are off' },
];

describe('the data of the job page', function () {
  let folder: string;
  let root: string;
  before(async () => {
    await activatedApi();
    folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    root = join(folder, 'storied');
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

  function stories(more: Partial<AgentActivityFeedOptions> = {}): AgentActivityFeed {
    const nothing = (): undefined => undefined;
    return new AgentActivityFeed({
      store: { get: nothing, onDidChange: () => ({ dispose: nothing }) },
      access: { activityTarget: async () => undefined },
      network: () => DIRECT,
      localAvailable: true,
      localAccess: { changes: async () => undefined, ...noText },
      keys: { redactDeep: (value) => JSON.parse(JSON.stringify(value).replaceAll(KEY, '***')) as typeof value },
      repositories: new Repositories(),
      program: '',
      log: { info: nothing, warn: nothing, error: nothing },
      ...more,
    });
  }

  it('lists the changes of the branch in an open repository, with line counts', async () => {
    const source = stories();
    const address = Uri.file(folder).toString();
    const result = await source.changes(job({ repository: address }, { home: hosted }));
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
      await source.changes(job({ repository: 'https://elsewhere.example/x/y' }, { home: hosted })),
      undefined,
    );
    strictEqual(await source.changes(job({ ref: 'no/such' })), undefined);
    strictEqual(await stories({ localAvailable: false }).changes(job({})), undefined);
    source.dispose();
  });

  it('lists the changes that the local service reports while it runs', async () => {
    const file = { path: 'a\nb.md', kind: 'changed' as const, added: 1, deleted: null };
    const told = { base: 'b', commit: 'c', files: [file], more: 2, added: 7, deleted: 5 };
    const source = stories({ localAccess: { ...noText, changes: async () => told } });
    const result = await source.changes(job({ ref: 'no/such' }));
    // Its commits are in no open repository.
    strictEqual(result?.check, undefined);
    deepStrictEqual(result?.changes, {
      files: [{ path: 'a b.md', kind: 'changed', added: 1, deleted: undefined }],
      ...{ more: 2, added: 7, deleted: 5, canOpen: false },
    });
    const failing = stories({ localAccess: { ...noText, changes: async () => Promise.reject(new Error('no')) } });
    strictEqual((await failing.changes(job({})))?.changes.files.length, 5);
  });

  it('opens a changed or renamed file as a diff and an added one alone', async () => {
    const source = stories();
    await source.openFile(job({}), 'docs/the start.md');
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    ok(input instanceof TabInputTextDiff);
    deepStrictEqual(
      [input.original, input.modified].map(({ scheme, path }) => [scheme, path.slice(root.length)]),
      [
        ['git', '/docs/index.md'],
        ['git', '/docs/the start.md'],
      ],
    );
    await source.openFile(job({}), 'new.md');
    ok(window.tabGroups.activeTabGroup.activeTab?.label.startsWith('new.md'));
    const before = window.tabGroups.all.flatMap(({ tabs }) => tabs).length;
    await source.openFile(job({}), '../../etc/passwd');
    strictEqual(window.tabGroups.all.flatMap(({ tabs }) => tabs).length, before);
  });

  it('includes the agent activity of a local job and none of a job whose service has no activity log', async () => {
    const at = '2026-05-01T12:00:00.000Z';
    const body = ENTRIES.map((entry, index) => {
      return `id: ${index + 1}\ndata: ${JSON.stringify({ id: index + 1, turn: 1, at, entry })}\n\n`;
    }).join('');
    const server = await ScriptedServer.start({ headers: { 'content-type': 'text/event-stream' }, body });
    const running = job({ status: 'active' });
    let record = running;
    const source = stories({
      access: {
        activityTarget: async ({ service, projectId }) =>
          service === LOCAL_SERVICE ? { baseUrl: server.url, apiKey: KEY, projectId } : undefined,
      },
      store: { get: () => record, onDidChange: () => ({ dispose: () => undefined }) },
    });
    try {
      const none: unknown[] = [];
      source.follow(job({}, { home: hosted }), (story) => none.push(story)).dispose();
      const next = async (): Promise<Story> => {
        let told: Story | undefined;
        const following = source.follow(running, (story) => (told = story));
        while (told === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        following.dispose();
        return told;
      };
      const story = await next();
      strictEqual(story.summary, 'First line ***\n\nSecond line');
      deepStrictEqual(story.plan, [{ text: 'Read the code', state: 'in_progress' }]);
      strictEqual(story.isLive, true);
      deepStrictEqual(
        story.turns[0]?.steps.map(({ kind, tone, text, files }) => [kind, tone, text, files]),
        [
          ['state', 'plain', 'Agent started', []],
          ['tool', 'running', 'Edit a.md', ['a.md']],
          ['message', 'plain', 'First line ***\n\nSecond line', []],
          ['permission', 'warning', 'Permission denied: rm -r (Commands are off)', []],
        ],
      );
      deepStrictEqual([none, server.count('GET')], [[], 1]);

      record = { ...running, endedAt: 1 };
      const ended = await next();
      deepStrictEqual([ended.isLive, ended.plan], [false, [{ text: 'Read the code', state: 'pending' }]]);
      strictEqual(ended.turns[0]?.steps[1]?.tone, 'plain');
    } finally {
      source.dispose();
      await server.close();
    }
  });
});
