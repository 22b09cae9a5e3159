import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { posix } from 'node:path';
import type { Uri } from 'vscode';
import { isDocsPage } from '../../../../../src/extension/features/prompt/context/docsPage';
import { IgnoredFiles } from '../../../../../src/extension/features/prompt/context/ignoredFiles';
import { editor, workspace } from '../../../../support/fakeEditor';

const uriOf = (path: string): Uri => ({ scheme: 'file', path, fsPath: path, toString: () => `file://${path}` }) as Uri;

describe('files of a repository that are read without being asked for', () => {
  const read: string[] = [];
  /** By path: the text, or the type of anything that is not a plain file. */
  let files: Record<string, string | { type: string }>;

  beforeEach(() => {
    read.length = 0;
    files = {};
    Object.assign(editor.Uri, {
      joinPath: ({ path }: Uri, ...parts: string[]) => uriOf(posix.join(path, ...parts)),
    });
    Object.assign(workspace, {
      isTrusted: false,
      getWorkspaceFolder: () => ({ uri: uriOf('/project') }),
      fs: {
        readDirectory: async ({ path }: Uri) =>
          Object.keys(files)
            .filter((each) => posix.dirname(each) === path)
            .map((each) => [posix.basename(each)]),
        stat: async ({ path }: Uri) => {
          const file = files[path];
          if (file === undefined) {
            throw new Error('no such file');
          }
          return typeof file === 'string' ? { type: 'File', size: file.length } : { ...file, size: 0 };
        },
        readFile: async ({ path }: Uri) => {
          read.push(path);
          return new TextEncoder().encode(files[path] as string);
        },
      },
    });
  });

  const isIgnored = async (path: string): Promise<boolean> => {
    const uri = uriOf(path);
    return (await new IgnoredFiles().among([{ uri, isFolder: false }])).has(uri.toString());
  };

  it('are the configuration of documentation, and .gitignore files', async () => {
    files = {
      '/project/mkdocs.yml': 'docs_dir: pages',
      '/project/.git': { type: 'Directory' },
      '/project/.gitignore': '*.env',
    };
    strictEqual(await isDocsPage(uriOf('/project/pages/a.md')), true);
    deepStrictEqual([await isIgnored('/project/a.env'), await isIgnored('/project/a.md')], [true, false]);
  });

  it('are also the .gitignore files of a repository outside of the workspace', async () => {
    Object.assign(workspace, { getWorkspaceFolder: () => undefined });
    files = { '/other/.git': { type: 'Directory' }, '/other/.gitignore': '*.env' };
    deepStrictEqual([await isIgnored('/other/sub/a.env'), await isIgnored('/other/a.md')], [true, false]);
  });

  it('are not links, which could lead to something endless', async () => {
    const link = { type: 'SymbolicLink' };
    files = { '/project/mkdocs.yml': link, '/project/.git': { type: 'Directory' }, '/project/.gitignore': link };
    strictEqual(await isDocsPage(uriOf('/project/docs/a.md')), false);
    strictEqual(await isIgnored('/project/a.md'), false);
    deepStrictEqual(read, []);
  });

  it('are not too long: everything beside an overlong .gitignore counts as ignored', async () => {
    const text = '*.env\n'.repeat(50_000);
    files = { '/project/.git': { type: 'Directory' }, '/project/a/.gitignore': text };
    deepStrictEqual([await isIgnored('/project/a/b/c.md'), await isIgnored('/project/b.md')], [true, false]);
    deepStrictEqual(read, []);
  });
});
