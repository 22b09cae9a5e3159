import * as vscode from 'vscode';
import type { JobPicker } from '../jobPicker';
import { formatJobLink } from '../links/jobLink';
import { readJobNames } from './arguments';

/** Copies links that open jobs in another window or by another person who may see them; one a line. */
export async function copyJobLink({ picker }: { picker: JobPicker }, argument: unknown): Promise<void> {
  const title = vscode.l10n.t('Copy the link to which job?');
  const jobs = await picker.chooseSome(readJobNames(argument), title, ({ snapshot }) => snapshot !== undefined);
  const links = jobs.flatMap(({ home, snapshot }) =>
    snapshot === undefined
      ? []
      : [formatJobLink(vscode.env.uriScheme, { service: home.service, project: home.projectId, id: snapshot.id })],
  );
  if (links.length > 0) {
    await vscode.env.clipboard.writeText(links.join('\n'));
    vscode.window.setStatusBarMessage(
      links.length === 1 ? vscode.l10n.t('Link copied') : vscode.l10n.t('{0} links copied', links.length),
      3000,
    );
  }
}
