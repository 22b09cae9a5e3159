import ignore, { type Ignore } from 'ignore';
import * as vscode from 'vscode';
import { Git, GitError } from '../../../git/git';

/** A file or folder that is asked about. */
export interface Candidate {
  uri: vscode.Uri;
  isFolder: boolean;
}

const decoder = new TextDecoder();

/** Tells what Git ignores: by git itself where it can be run, or else by the `.gitignore` files of the workspace. */
export class IgnoredFiles {
  private readonly rules = new Map<string, Promise<Ignore | undefined>>();
  private readonly git = new Git(process.env);

  /** Those of the candidates, as strings, that are ignored, or lie in what is. */
  async among(candidates: readonly Candidate[]): Promise<Set<string>> {
    const ofGit = candidates.filter(({ uri }) => uri.path.split('/').includes('.git'));
    const byFolder = new Map<vscode.WorkspaceFolder, Candidate[]>();
    for (const candidate of candidates) {
      const folder = vscode.workspace.getWorkspaceFolder(candidate.uri);
      if (folder !== undefined) {
        byFolder.set(folder, [...(byFolder.get(folder) ?? []), candidate]);
      }
    }
    const found = await Promise.all(
      [...byFolder].map(async ([{ uri }, asked]) => (await this.byGit(uri, asked)) ?? this.byRules(asked)),
    );
    return new Set([...ofGit.map(({ uri }) => uri.toString()), ...found.flat()]);
  }

  /**
   * Undefined when git can't tell, as for what lies in a submodule. The Git extension's own `checkIgnore` is of no use: it
   * answers as soon as its process has ended, whether its output was read or not.
   */
  private async byGit(root: vscode.Uri, asked: readonly Candidate[]): Promise<string[] | undefined> {
    if (root.scheme !== 'file' || !vscode.workspace.isTrusted) {
      return undefined;
    }
    const paths = asked.map(({ uri }) => uri.path.slice(root.path.length + 1));
    try {
      const user = await this.git.configured(root.fsPath, 'core.excludesFile');
      const own = user === undefined ? [] : ['-c', `core.excludesFile=${user}`];
      const input = paths.join('\0');
      const output = await this.git.run({ folder: root.fsPath }, [...own, 'check-ignore', '-z', '--stdin'], { input });
      const ignored = new Set(output.split('\0'));
      return asked.filter((_, index) => ignored.has(paths[index] ?? '')).map(({ uri }) => uri.toString());
    } catch (error) {
      // Exit code 1: none of them is (git-check-ignore(1)).
      return error instanceof GitError && error.exitCode === 1 ? [] : undefined;
    }
  }

  private async byRules(candidates: readonly Candidate[]): Promise<string[]> {
    const checked = await Promise.all(candidates.map((each) => this.isIgnored(each)));
    return candidates.filter((_, index) => checked[index]).map(({ uri }) => uri.toString());
  }

  /** By the rules of each folder from the workspace's down; what lies in an ignored folder stays ignored (gitignore(5)). */
  private async isIgnored({ uri, isFolder }: Candidate): Promise<boolean> {
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
    let rules = this.rules.get(key);
    if (rules === undefined) {
      const file = vscode.Uri.joinPath(folder, '.gitignore');
      rules = Promise.resolve(vscode.workspace.fs.readFile(file)).then(
        (bytes) => ignore().add(decoder.decode(bytes)),
        () => undefined,
      );
      this.rules.set(key, rules);
    }
    return rules;
  }
}
