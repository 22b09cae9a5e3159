import { doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutPullRequest } from '../../../../src/extension/features/pull-requests/checkoutPullRequest';
import { editor, gitExtension } from '../../../support/fakeEditor';
import { gitRepository } from '../../../support/gitRepository';
import { notOnWindows } from '../../../support/notOnWindows';
import { git, sampleRepository } from '../../../support/temporaryRepository';

/** An agent can give a file this name. VS Code makes a link of it in a notification, and a click runs the command. */
const NAME = '[Show what to do](command:workbench.action.terminal.sendSequence).md';

describe('checkoutPullRequest', function () {
  notOnWindows();

  it('makes no link of the name of the file that is in the way', async () => {
    const folder = await sampleRepository();
    await git(folder, 'switch', '--quiet', '--create', 'docs-agent/x');
    await writeFile(join(folder, NAME), 'New\n');
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '--message', 'Job');
    await git(folder, 'switch', '--quiet', 'main');
    await writeFile(join(folder, NAME), 'Mine\n');
    const repository = gitRepository(folder);
    await repository.status();
    const getBranch = async (name: string): Promise<object> => ({
      name: name.replace('refs/heads/', ''),
      commit: (await git(folder, 'rev-parse', name)).trim(),
    });
    Object.assign(repository.state, { remotes: [] });
    const repositories = [Object.assign(repository, { getBranch })];
    Object.assign(gitExtension, { api: { state: 'initialized', repositories, git: { path: 'git' } } });
    const warnings: string[] = [];
    Object.assign(editor.workspace, {
      isTrusted: true,
      workspaceFolders: [{ uri: { scheme: 'file', fsPath: folder } }],
    });
    Object.assign(editor.window, { showWarningMessage: async (text: string) => void warnings.push(text) });
    const snapshot = { id: 'j', status: 'completed', ref: 'docs-agent/x', prLink: null, repository: null };
    const job = { key: 'k', home: { service: 'local', projectId: 'p' }, sends: [], snapshot };
    const options = {
      picker: { choose: async () => job },
      localAvailable: true,
      branches: async () => ({ keeper: async () => async () => undefined, recordOf: () => undefined }),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    };
    await checkoutPullRequest(options as never, undefined);
    strictEqual(warnings.length, 1);
    match(warnings[0] ?? '', /would overwrite \[Show what to do\]/);
    doesNotMatch(warnings[0] ?? '', /\]\(/);
  });
});
