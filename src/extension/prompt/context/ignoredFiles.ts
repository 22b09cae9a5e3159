import ignore, { type Ignore } from 'ignore';
import * as vscode from 'vscode';
import { Git } from '../../../git/git';
import { askGitIgnored } from './gitIgnored';

/** A file or folder that is asked about. */
export interface Candidate {
  uri: vscode.Uri;
  isFolder: boolean;
}

const decoder = new TextDecoder();

/** Tells what git ignores: by git where it may be run, or else by the `.gitignore` files of the workspace. */
export class IgnoredFiles {
  private readonly rules = new Map<string, Promise<Ignore | undefined>>();
  private readonly git = new Git(process.env);

  /** Those of the candidates, as strings, that are ignored, or inside of what is. */
  async among(candidates: readonly Candidate[]): Promise<Set<string>> {
    const forGit = candidates.filter(({ uri }) => {
      const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
      return root?.scheme === 'file' && vscode.workspace.isTrusted;
    });
    const answers = await askGitIgnored(
      this.git,
      forGit.map(({ uri }) => uri.fsPath),
    );
    const ignored = await Promise.all(
      candidates.map(async (candidate) => {
        const { uri } = candidate;
        // On some disks `.GIT` is the same folder.
        const isGitFolder = /(^|\/)\.git(\/|$)/i.test(uri.path);
        return isGitFolder || (answers.get(uri.fsPath) ?? (await this.isIgnoredByRules(candidate)));
      }),
    );
    return new Set(candidates.filter((_, index) => ignored[index]).map(({ uri }) => uri.toString()));
  }

  /** By the rules of each folder from the workspace's down; what is inside of an ignored folder stays ignored (gitignore(5)). */
  private async isIgnoredByRules({ uri, isFolder }: Candidate): Promise<boolean> {
    const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    const parts = root === undefined ? [] : uri.path.slice(root.path.length).split('/').filter(Boolean);
    for (let depth = 1; root !== undefined && depth <= parts.length; depth++) {
      let ignored = false;
      for (let from = 0; from < depth; from++) {
        const rules = await this.rulesOf(vscode.Uri.joinPath(root, ...parts.slice(0, from)));
        const path = parts.slice(from, depth).join('/') + (depth < parts.length || isFolder ? '/' : '');
        const answer = rules?.test(path);
        ignored = answer?.ignored === true || (ignored && answer?.unignored !== true);
      }
      if (ignored) {
        return true;
      }
    }
    return false;
  }

  private rulesOf(folder: vscode.Uri): Promise<Ignore | undefined> {
    const key = folder.toString();
    const known = this.rules.get(key);
    const rules =
      known ??
      Promise.resolve(vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, '.gitignore'))).then(
        (bytes) => ignore().add(decoder.decode(bytes)),
        () => undefined,
      );
    this.rules.set(key, rules);
    return rules;
  }
}
