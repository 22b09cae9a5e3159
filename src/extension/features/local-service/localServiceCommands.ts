import * as vscode from 'vscode';
import { toSnapshot } from '../../../jobs/snapshot';
import { markSeen } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import { isTerminal } from '../../../protocol/status';
import type { App } from '../../app';
import { readJobName } from '../../platform/commandArguments';
import type { LocalAccess } from '../../platform/localAccess';
import type { LocalService } from '../../platform/localService';
import { showErrorWithLog } from '../../platform/log';
import { toLabel, toNotice, toPickLabel, toQuestion } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import { optionalReasonText } from '../../presentation/errorText';
import { jobTitle } from '../../presentation/jobText';
import { serviceText } from '../../presentation/serviceText';

/** Stops the current run of a job; a follow-up resumes the job. */
export async function cancelJob(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'cancelJob');
  if (job === undefined || !(await runRequest(() => options.access.cancel(job.location, job.snapshot?.id ?? '')))) {
    return;
  }
  await showOutcome(options, job);
}

/** Archives an ended job. The local service removes its folder, once its work is safe in a branch. */
export async function archiveJob(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'archiveJob');
  if (job === undefined) {
    return;
  }
  const [{ access }, { location, snapshot }] = [options, job];
  const id = snapshot?.id ?? '';
  const archive = (discard: boolean) => (): Promise<void> => access.archive(location, id, discard);
  if (!(await runRequest(archive(false), archive(true)))) {
    return;
  }
  await showOutcome(options, job);
  const undo = vscode.l10n.t('Undo');
  const text = vscode.l10n.t('Job archived: {0}', toNotice(jobTitle(job), 80));
  if ((await vscode.window.showInformationMessage(text, undo)) === undo) {
    await unarchiveJob(options, { jobKey: job.key });
  }
}

/** Makes an archived job what it was before. A follow-up restores its folder. */
export async function unarchiveJob(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'unarchiveJob');
  if (job && (await runRequest(() => options.access.unarchive(job.location, job.snapshot?.id ?? '')))) {
    await showOutcome(options, job);
  }
}

/** Lists the disk usage of local jobs' folders; reveals the selected one in the operating system. */
export async function showJobFolders({ localAccess, store }: App): Promise<void> {
  const found = await runRequest(() => localAccess.storage());
  if (found === undefined) {
    return;
  }
  const { jobs, bytes } = found.answer;
  if (jobs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There are no job folders on this machine.'));
    return;
  }
  const archive = {
    iconPath: new vscode.ThemeIcon('archive'),
    tooltip: vscode.l10n.t('Archive Job and Delete Its Folder'),
  };
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { jobId: string; folder: string }>();
  pick.title = vscode.l10n.t('Job folders ({0} total)', sizeText(bytes));
  pick.placeholder = vscode.l10n.t('Select a folder to open it');
  pick.matchOnDetail = true;
  pick.items = jobs
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ jobId, title, status, folder, bytes: size }) => ({
      jobId,
      folder,
      label: toPickLabel(title),
      description: toPickLabel(`${sizeText(size)} · ${status}`),
      detail: toPickLabel(folder),
      buttons: status === 'active' || !store.jobs.some(({ snapshot }) => snapshot?.id === jobId) ? [] : [archive],
    }));
  pick.onDidTriggerItemButton(({ item }) => {
    pick.hide();
    void vscode.commands.executeCommand('docsAgent.archiveJob', { jobId: item.jobId });
  });
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    pick.hide();
    if (chosen !== undefined) {
      void vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(chosen.folder));
    }
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

/** Fetches the job's new state, so that the list shows it immediately. */
export async function refreshJob({ access, store }: App, job: TrackedJob): Promise<void> {
  const answer = toSnapshot(await access.lookUp(job.location, job.snapshot?.id ?? ''));
  const end = isTerminal(answer.status);
  await store.record(job.key, { type: 'changed', at: Date.now(), run: job.run, job: answer, end });
}

/** Shows what the user has caused at once, instead of when the service announces it. */
export async function showOutcome(options: App, job: TrackedJob): Promise<void> {
  await refreshJob(options, job);
  await markSeen(options.store, job);
}

/**
 * Runs a request. Returns undefined if the service refused (the user is notified).
 *
 * @param discarding the same request, discarding work that exists nowhere else; run only after a confirmation
 */
export async function runRequest<T>(
  work: () => Promise<T>,
  discarding?: () => Promise<T>,
): Promise<{ answer: T } | undefined> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    if (error.code === 'CAN_DISCARD' && discarding !== undefined) {
      return (await confirmDiscardWork(serviceText(error.coded, error.detail))) ? runRequest(discarding) : undefined;
    }
    if (error.kind === 'rejected') {
      showRefusal(error.coded, error.detail);
    } else {
      void showErrorWithLog(toNotice(optionalReasonText(error), 400));
    }
    return undefined;
  }
}

/** The codes of refusals by git itself, mostly because of changes that the user resolves in Source Control. */
const BY_GIT: readonly string[] = ['notMerged', 'notUndone'];

/** Tells the user why the service refused something. */
export function showRefusal(...[coded, text]: Parameters<typeof serviceText>): void {
  const notice = toNotice(toLabel(serviceText(coded, text), 300), 400);
  void (BY_GIT.includes(coded?.code ?? '') ? showWithSourceControl(notice) : showErrorWithLog(notice));
}

async function confirmDiscardWork(reason: string): Promise<boolean> {
  const discard = vscode.l10n.t('Delete');
  const text = vscode.l10n.t('Delete this job’s work that isn’t in any branch?');
  const detail = toQuestion(reason, 400);
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, discard)) === discard;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** "1.4 MB", in the editor's language. */
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = UNITS[power] ?? 'byte';
  const format = new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit, maximumFractionDigits: 1 });
  return format.format(bytes / 1000 ** power);
}

/** Starts the local service, or finds it running. Returns its base URL. */
export async function startLocalService(local: LocalService): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('The local service runs programs on this folder’s files. Trust the workspace first.'),
    );
    return undefined;
  }
  const { baseUrl } = await local.startOrConnect();
  void vscode.window.showInformationMessage(vscode.l10n.t('Local service running at {0}.', baseUrl));
  return baseUrl;
}

/** Stops the local service; running jobs end as failed and can be resumed with a follow-up. */
export async function stopLocalService(access: LocalAccess): Promise<void> {
  const stopped = await access.stop();
  void vscode.window.showInformationMessage(
    stopped ? vscode.l10n.t('Local service stopped.') : vscode.l10n.t('The local service isn’t running.'),
  );
}
