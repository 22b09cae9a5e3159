import { deepStrictEqual } from 'node:assert/strict';
import { permalinks } from '../../../../src/extension/features/prompt/context/places';
import { editor } from '../../../support/fakeEditor';

const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

describe('the permalink of a place', () => {
  const uri = {
    path: '/repository/src/a.ts',
    fsPath: '/repository/src/a.ts',
    toString: () => 'file:///repository/src/a.ts',
  };
  const head = { name: 'main', commit: COMMIT, upstream: { remote: 'origin', name: 'main' }, ahead: 0 };
  const changes = { workingTreeChanges: [], indexChanges: [], mergeChanges: [], untrackedChanges: [] };
  const remotes = [{ name: 'origin', fetchUrl: 'git@github.com:acme/docs.git' }];
  const state = { ...changes, HEAD: head, remotes };

  async function notes(changed: object, isDirty = false, isCommitted = true): Promise<readonly string[]> {
    Object.assign(editor.workspace, { textDocuments: [{ uri, isDirty }] });
    const repository = {
      rootUri: { fsPath: '/repository' },
      state: { ...state, ...changed },
      getObjectDetails: () => (isCommitted ? Promise.resolve({}) : Promise.reject(new Error('no such file'))),
    };
    const notesOf = permalinks({ holding: async () => repository } as never, log);
    return notesOf({ uri: uri as never, startLine: 2, endLine: 3 });
  }

  it('names the commit, the path and the lines of a file that is clean and pushed', async () => {
    const link = `https://github.com/acme/docs/blob/${COMMIT}/src/a.ts#L2-L3`;
    deepStrictEqual(await notes({}), [`Permalink: \`acme/docs@${COMMIT} src/a.ts#L2-L3\` (${link})`]);
  });

  it('does not exist for anything else', async () => {
    const none = [
      notes({ HEAD: { ...head, ahead: 1 } }),
      notes({ HEAD: { ...head, upstream: undefined } }),
      notes({ workingTreeChanges: [{ uri }] }),
      notes({ remotes: [{ name: 'origin', fetchUrl: '/srv/docs.git' }] }),
    ];
    deepStrictEqual(await Promise.all(none), [[], [], [], []]);
    deepStrictEqual([await notes({}, true), await notes({}, false, false)], [[], []]);
  });
});
