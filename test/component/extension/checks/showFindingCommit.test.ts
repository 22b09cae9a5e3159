import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Range, Uri } from 'vscode';
import { readVersion } from '../../../../src/extension/platform/fileVersions';
import { showFindingCommit } from '../../../../src/extension/features/checks/showFindingCommit';
import { Repositories } from '../../../../src/extension/platform/repositories';
import { commands, editor, gitExtension, window, workspace } from '../../../support/fakeEditor';
import { brokenLink, EVIDENCE, goneName } from '../../../support/findings';
import { gitRepository } from '../../../support/gitRepository';
import { git, sampleRepository } from '../../../support/temporaryRepository';

const PATH = 'src/retry.ts';

describe('the commit of a finding', () => {
  let folder: string;
  let warned: string[];
  let opened: unknown[];

  before(async () => {
    folder = await sampleRepository();
    await git(folder, 'config', 'diff.renames', 'false');
  });
  beforeEach(async () => {
    [warned, opened] = [[], []];
    const repository = await gitRepository(folder);
    gitExtension.api = { state: 'initialized', git: { path: 'git' }, repositories: [repository] };
    const sideOf = (uri: Uri | undefined): string | undefined => {
      const version = uri && readVersion(uri);
      return version && `${version.side} ${version.path}`;
    };
    Object.assign(window, { showWarningMessage: async (text: string) => void warned.push(text) });
    Object.assign(workspace, {
      openTextDocument: async (uri: Uri) => {
        const { commit = '', path = '' } = readVersion(uri) ?? {};
        const text = await git(folder, 'show', `${commit}:${path}`);
        return { getText: () => text };
      },
    });
    Object.assign(commands, {
      executeCommand: async (...[command, ...given]: unknown[]) => {
        if (command === 'vscode.diff') {
          const [left, right, title, { selection }] = given as [Uri, Uri, string, { selection?: Range }];
          opened.push(sideOf(left), sideOf(right), title, selection?.start.line);
        } else {
          const [title, [[, left, right]]] = given as [string, [[Uri, Uri?, Uri?]]];
          opened.push(sideOf(left), sideOf(right), title);
        }
      },
    });
  });
  afterEach(() => {
    gitExtension.api = undefined;
    Object.assign(commands, { executeCommand: async () => undefined });
  });

  async function commit(subject: string): Promise<string> {
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', subject);
    return (await git(folder, 'rev-parse', 'HEAD')).trim();
  }

  async function show(id: string, subject: string, evidence: Partial<typeof EVIDENCE>): Promise<void> {
    const about = { ...EVIDENCE, commit: { commit: id, subject, date: 1 }, ...evidence };
    const evidenceRoot = editor.Uri.file(folder) as Uri;
    await showFindingCommit(new Repositories(), { finding: goneName({ evidence: about }), evidenceRoot });
  }

  it('is shown at the new line, nearest to the old one', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `// line ${index}`);
    await writeFile(join(folder, PATH), [...lines, 'const limit = attempts;', ''].join('\n'));
    await commit('Begin');
    await writeFile(
      join(folder, PATH),
      ['  const limit = tries;', ...lines, '// more', '  const limit = tries;', ''].join('\n'),
    );
    const id = await commit('Rename it');
    await show(id, 'Rename it', { path: PATH, line: 31, after: 'const limit = tries;' });
    deepStrictEqual(opened, [`old ${PATH}`, `new ${PATH}`, `${PATH} (${id.slice(0, 7)}: Rename it)`, 32]);
    opened = [];
    await show(id, 'Rename it', { path: PATH, line: 300, after: null });
    deepStrictEqual(opened.at(-1), 33);
  });

  it('is shown for a file that it renamed, and for one that it deleted', async () => {
    await mkdir(join(folder, 'lib'), { recursive: true });
    await git(folder, 'mv', PATH, 'lib/again.ts');
    const moved = await commit('Move it');
    await show(moved, 'Move it', { path: PATH, line: null, before: '', after: null });
    deepStrictEqual(opened, [`old ${PATH}`, 'new lib/again.ts', `lib/again.ts (${moved.slice(0, 7)}: Move it)`, 0]);
    opened = [];
    await git(folder, 'rm', '--quiet', 'lib/again.ts');
    const deleted = await commit('Delete it');
    await show(deleted, 'Delete it', { path: 'lib/again.ts', line: null, before: '', after: null });
    deepStrictEqual(opened, ['old lib/again.ts', undefined, `lib/again.ts (${deleted.slice(0, 7)}: Delete it)`]);
  });

  it('can be missing', async () => {
    await show('f'.repeat(40), 'Rename it', {});
    const gone = brokenLink({ evidence: EVIDENCE });
    await showFindingCommit(new Repositories(), { finding: gone, evidenceRoot: undefined });
    deepStrictEqual(
      [opened, warned],
      [
        [],
        [
          `Commit fffffff can’t be read, or doesn’t change ${PATH}.`,
          'The repository with this commit isn’t open anymore.',
        ],
      ],
    );
  });
});
