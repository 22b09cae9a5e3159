import { posix } from 'node:path';
import * as vscode from 'vscode';
import { Git } from '../../../git/git';
import { askGitIgnored } from './gitIgnored';
import { IgnoreRules } from './ignoreRules';
import { IGNORED, type LeftOut, UNDECIDED } from './readText';

/** A file or folder that is asked about. */
export interface Candidate {
  uri: vscode.Uri;
  isFolder: boolean;
}

const decoder = new TextDecoder();

/** Tells what git ignores: by git where it may be run, or else by the `.gitignore` files of the repository. */
export class IgnoredFiles {
  /** The rules that hold in a workspace folder, and the path of the folder that they begin with. */
  private readonly trees = new Map<string, Promise<{ top: string; rules: IgnoreRules }>>();
  private readonly git = new Git(process.env);

  /** Those of the candidates, as strings, that are to be left out, and why: ignored, inside of what is, or not to be told. */
  async among(candidates: readonly Candidate[]): Promise<Map<string, LeftOut>> {
    const forGit = candidates.filter(({ uri }) => {
      const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
      return root?.scheme === 'file' && vscode.workspace.isTrusted;
    });
    const answers = await askGitIgnored(
      this.git,
      forGit.map(({ uri }) => uri.fsPath),
    );
    const found = await Promise.all(
      candidates.map(async (candidate): Promise<[string, LeftOut][]> => {
        const { uri } = candidate;
        const answer = answers.get(uri.fsPath);
        // On some disks `.GIT` is the same folder.
        const isGitFolder = /(^|\/)\.git(\/|$)/i.test(uri.path);
        if (isGitFolder || answer === 'ignored' || (answer === undefined && (await this.isIgnoredByRules(candidate)))) {
          return [[uri.toString(), IGNORED]];
        }
        return answer === 'refused' ? [[uri.toString(), UNDECIDED]] : [];
      }),
    );
    return new Map(found.flat());
  }

  private async isIgnoredByRules({ uri, isFolder }: Candidate): Promise<boolean> {
    const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (root === undefined) {
      return false;
    }
    const tree = this.trees.get(root.toString()) ?? treeOf(root);
    this.trees.set(root.toString(), tree);
    const { top, rules } = await tree;
    return rules.isIgnored(posix.relative(top, uri.path), isFolder);
  }
}

/** The rules from the repository's root down, or from the folder itself where no repository can be seen above it. */
async function treeOf(root: vscode.Uri): Promise<{ top: string; rules: IgnoreRules }> {
  let top = root;
  for (let folder = root; ; folder = vscode.Uri.joinPath(folder, '..')) {
    if (await exists(vscode.Uri.joinPath(folder, '.git'))) {
      top = folder;
      break;
    }
    if (posix.dirname(folder.path) === folder.path) {
      break;
    }
  }
  const read = (folder: string): Promise<string | undefined> =>
    Promise.resolve(vscode.workspace.fs.readFile(vscode.Uri.joinPath(top, folder, '.gitignore'))).then(
      (bytes) => decoder.decode(bytes),
      () => undefined,
    );
  return { top: top.path, rules: new IgnoreRules(read) };
}

function exists(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}
