import ignore, { type Ignore } from 'ignore';
import * as vscode from 'vscode';
import { Git } from '../../../git/git';
import { GitIgnored } from './gitIgnored';

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
  private readonly ofFolders = new Map<string, GitIgnored>();

  /** Those of the candidates, as strings, that are ignored, or lie in what is. */
  async among(candidates: readonly Candidate[]): Promise<Set<string>> {
    // On some disks `.GIT` is the same folder.
    const ofGit = candidates.filter(({ uri }) => /(^|\/)\.git(\/|$)/i.test(uri.path));
    const byFolder = Map.groupBy(candidates, ({ uri }) => vscode.workspace.getWorkspaceFolder(uri));
    const found = await Promise.all(
      [...byFolder].map(async ([folder, asked]) => (folder === undefined ? [] : await this.ofFolder(folder, asked))),
    );
    return new Set([...ofGit.map(({ uri }) => uri.toString()), ...found.flat()]);
  }

  /** The Git extension's own `checkIgnore` is of no use: it answers as soon as its process has ended, its output read or not. */
  private async ofFolder({ uri: root }: vscode.WorkspaceFolder, asked: readonly Candidate[]): Promise<string[]> {
    if (root.scheme !== 'file' || !vscode.workspace.isTrusted) {
      return this.byRules(asked);
    }
    const git = this.ofFolders.get(root.toString()) ?? new GitIgnored(this.git, root.fsPath);
    this.ofFolders.set(root.toString(), git);
    const { ignored, unknown } = await git.among(asked.map(({ uri }) => uri.fsPath));
    const left = new Set(unknown);
    const byRules = await this.byRules(asked.filter(({ uri }) => left.has(uri.fsPath)));
    return [...asked.filter(({ uri }) => ignored.has(uri.fsPath)).map(({ uri }) => uri.toString()), ...byRules];
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
