import * as vscode from 'vscode';
import type { Evidence } from '../../../checks/finding';
import { showFileChange, versionUri } from '../../platform/fileVersions';
import { gitApi, openRepositories } from '../../platform/gitExtension';
import type { Repositories } from '../../platform/repositories';
import { toLabel, toNotice } from '../../platform/sanitize';
import type { ShownFinding } from './findings';
import { toLines } from './textPlaces';

const HASH_LENGTH = 7;

/** Shows what the commit that caused a finding did to the file, at the line in question. */
export async function showFindingCommit(
  repositories: Pick<Repositories, 'open'>,
  { finding, evidenceRoot }: Pick<ShownFinding, 'finding' | 'evidenceRoot'>,
): Promise<void> {
  const evidence = 'evidence' in finding ? finding.evidence : null;
  const open = await openRepositories(await gitApi());
  const repository = open.find(({ rootUri }) => rootUri.toString() === evidenceRoot?.toString());
  if (evidence === null || repository === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('The repository with this commit isn’t open anymore.'));
    return;
  }
  const [{ diffSummary }, { GitError }] = await Promise.all([import('../../../git/diff'), import('../../../git/git')]);
  const { commit, subject } = evidence.commit;
  try {
    const opened = await repositories.open(repository);
    const base = (await opened.git.run(opened.place, ['rev-parse', '--verify', `${commit}^`])).trim();
    const { files } = await diffSummary(opened, [base, commit]);
    const file =
      files.find(({ path, from = path }) => from === evidence.path) ?? files.find(({ path }) => path === evidence.path);
    if (file !== undefined) {
      const title = `${toLabel(file.path, 80)} (${commit.slice(0, HASH_LENGTH)}: ${toLabel(subject, 60)})`;
      const line =
        file.status === 'D'
          ? 0
          : await lineAfter(versionUri(repository, { commit, path: file.path, side: 'new' }), evidence);
      await showFileChange(repository, file, { base, commit }, title, line);
      return;
    }
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
  }
  const text = vscode.l10n.t(
    'Commit {0} can’t be read, or doesn’t change {1}.',
    commit.slice(0, HASH_LENGTH),
    toNotice(evidence.path, 100),
  );
  void vscode.window.showWarningMessage(text);
}

/** Where the line is after the commit, or would be: the nearest one with its new text. Counts from 0. */
async function lineAfter(version: vscode.Uri, { line, after }: Evidence): Promise<number> {
  const lines = toLines((await vscode.workspace.openTextDocument(version)).getText());
  const near = (line ?? 1) - 1;
  const same = after === null ? [] : lines.flatMap((each, at) => (each.trim().startsWith(after) ? [at] : []));
  return same.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0] ?? Math.min(near, lines.length - 1);
}
