import * as vscode from 'vscode';
import { isListed } from '../../jobs/trackedJob';
import { toLabel } from '../text';
import { isRemoved } from '../views/jobList';
import { jobTitle } from '../presentation/jobText';
import { readJobName, readJobNames } from './arguments';
import type { JobActionOptions } from './jobActions';

/** Pins jobs above all others; unpins them where all of them are pinned. */
export async function togglePin({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const title = vscode.l10n.t('Pin or unpin which job?');
  const jobs = await picker.chooseSome(readJobNames(argument), title, isListed);
  const type = jobs.every((job) => job.pinned) ? 'unpinned' : 'pinned';
  const changed = jobs.filter(({ pinned }) => pinned === (type === 'unpinned'));
  await Promise.all(changed.map(({ key }) => store.append(key, { type, at: Date.now() })));
}

/** The user's own name for a job, in this list only. */
export async function renameJob({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), vscode.l10n.t('Rename which job?'), isListed);
  if (job === undefined) {
    return;
  }
  const before = jobTitle(job);
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename “{0}”', toLabel(before, 50)),
    prompt: vscode.l10n.t('The name in this list; empty names it by its prompt again.'),
    value: before,
  });
  if (title !== undefined && title.trim() !== before) {
    await store.append(job.key, { type: 'renamed', at: Date.now(), title: title.trim() });
  }
}

/** Brings jobs back that were removed from the list. */
export async function restoreJob({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const names = readJobNames(argument);
  const jobs = await picker.chooseSome(names, vscode.l10n.t('Bring back which job?'), isRemoved, 'removed');
  await Promise.all(jobs.map(({ key }) => store.append(key, { type: 'restored', at: Date.now() })));
}
