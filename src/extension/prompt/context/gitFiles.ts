import * as vscode from 'vscode';
import { asUserSees } from '../../../git/asUserSees';
import { Git, GitError } from '../../../git/git';

/**
 * The files of a folder of the workspace that git holds or would take, so that no ignored one counts; undefined where git
 * can't be asked: a folder that is not on this machine, not trusted, or in no repository.
 */
export async function gitFiles({ uri: root }: vscode.WorkspaceFolder): Promise<vscode.Uri[] | undefined> {
  if (root.scheme !== 'file' || !vscode.workspace.isTrusted) {
    return undefined;
  }
  const git = new Git(process.env);
  try {
    const place = await asUserSees(git, root.fsPath);
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
    const names = (await git.run(place, args)).split('\0').filter((name) => name !== '');
    return names.map((name) => vscode.Uri.joinPath(root, name));
  } catch (error) {
    if (error instanceof GitError) {
      return undefined;
    }
    throw error;
  }
}
