import * as vscode from 'vscode';
import type { Coverage, Finding, NotCheckedReason } from '../../../checks/finding';
import { DisposableStore } from '../../../base/disposable';
import { COVERAGE_TEXTS } from '../../../checks/describe';
import { CheckFailed, runCheck } from '../../../checks/process/runCheck';
import { firstPromptText, isListed } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import { serviceEnvironment } from '../../../client/localServiceProcess';
import { nameOf } from '../../platform/repositories';
import { showErrorWithLog } from '../../platform/log';
import { numberText } from '../../platform/numberText';
import { toNotice } from '../../platform/sanitize';
import { translate } from '../../presentation/serviceText';
import { chooseFindings, fixFindings } from './chooseFindings';
import { Findings, offerFixes, pagesOf, type ShownFinding } from './findings';
import { ignoreFinding } from './ignoreFinding';
import { showFindingCommit } from './showFindingCommit';

type Progress = vscode.Progress<{ message?: string; increment?: number }>;

/** Runs the checks of this window's repositories, one at a time. */
export class DocumentationChecks implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly findings: Findings;
  private readonly restored: Promise<void>;
  private running: Promise<void> | undefined;
  private stop = new AbortController();

  constructor(private readonly options: App) {
    const { log, store, describer, workspaceState } = options;
    this.findings = this.owned.add(new Findings(log, options.findings, workspaceState));
    this.owned.add(offerFixes(this.findings));
    const hide = (): void => this.findings.hide(openPrompts(options));
    this.owned.add(store.onDidChange(hide));
    this.owned.add(describer.onDidChange(hide));
    hide();
    const couldNot = (error: unknown): void => log.error('couldn’t show what a check had found', error);
    this.restored = this.findings.restore().catch(couldNot);
    this.owned.add({ dispose: () => this.stop.abort() });
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Resolves when the check has ended, not when its result was read. From the list, it moves the focus to the first row. */
  async check(isFromList: boolean): Promise<void> {
    const start = Date.now();
    this.running ??= this.checkFolders().finally(() => (this.running = undefined));
    await this.running;
    // After a longer time, the user may type elsewhere.
    if (isFromList && Date.now() - start < 10_000) {
      await this.options.view.focus(this.options.tree.getChildren()[0]);
    }
  }

  /** Starts a prompt about these findings. */
  async fix(ids: readonly number[]): Promise<void> {
    const meant = this.find(ids);
    await (meant && fixFindings(this.options, meant));
  }

  /** Shows them no more, until the next check. */
  dismiss(ids: readonly number[]): void {
    this.findings.remove(({ id }) => ids.includes(id));
  }

  async ignore(ids: readonly number[]): Promise<void> {
    const [first] = this.find(ids) ?? [];
    await (first && ignoreFinding(this.findings, first, this.options.log));
  }

  async showCommit(ids: readonly number[]): Promise<void> {
    const [first] = this.find(ids) ?? [];
    await (first && showFindingCommit(this.options.repositories, first));
  }

  /** Undefined if none of them is left (the user is notified). */
  private find(ids: readonly number[]): ShownFinding[] | undefined {
    const meant = this.findings.all.filter(({ id }) => ids.includes(id));
    if (meant.length > 0) {
      return meant;
    }
    void vscode.window.showWarningMessage(vscode.l10n.t('This finding is out of date. Check the documentation again.'));
    return undefined;
  }

  private async checkFolders(): Promise<void> {
    const roots = (await this.options.repositories.ofFolders()).map((repository) => ({
      uri: repository.rootUri,
      name: nameOf(repository),
    }));
    if (roots.length === 0) {
      return;
    }
    await this.restored;
    this.findings.clear();
    this.stop = new AbortController();
    const where = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Checking documentation'),
      cancellable: true,
    };
    const coverage = await vscode.window.withProgress(where, async (progress, token) => {
      token.onCancellationRequested(() => this.stop.abort());
      return this.checkAll(roots, progress);
    });
    if (coverage !== undefined) {
      void this.showResult(coverage);
    }
  }

  /** Undefined if the check was canceled, or if it failed (the user is notified). */
  private async checkAll(
    roots: readonly { uri: vscode.Uri; name: string }[],
    progress: Progress,
  ): Promise<Coverage[] | undefined> {
    const coverage: Coverage[] = [];
    try {
      for (const { uri, name } of roots) {
        const others = roots.map((each) => each.uri).filter((each) => each !== uri);
        const report = reporter(progress, roots.length > 1 ? name : undefined, roots.length);
        const checked = await this.checkOne([uri, ...others], report);
        if (checked === undefined) {
          return undefined;
        }
        coverage.push(checked);
      }
      return coverage;
    } catch (error) {
      this.options.log.error('couldn’t check the documentation', error);
      const why = error instanceof CheckFailed ? error.message : String(error);
      void showErrorWithLog(toNotice(vscode.l10n.t('The documentation couldn’t be checked: {0}', why), 400), 'error');
      return undefined;
    }
  }

  private async checkOne(
    roots: readonly [vscode.Uri, ...vscode.Uri[]],
    onProgress: (done: number, total: number) => void,
  ): Promise<Coverage | undefined> {
    const { program } = this.options;
    const [folder = '', ...code] = roots.map(({ fsPath }) => fsPath);
    const found: Finding[] = [];
    const run = { program, environment: serviceEnvironment(), folder, code, signal: this.stop.signal, onProgress };
    const coverage = await runCheck({ ...run, onFinding: (each) => void found.push(each) });
    const certain = found.filter(({ certainty }) => certainty === 'certain');
    // Also those of a check that was canceled.
    for (const [path, onPage] of Map.groupBy(certain, ({ place }) => place.path)) {
      await this.findings.add(roots, path, onPage);
    }
    return coverage;
  }

  private async showResult(coverage: readonly Coverage[]): Promise<void> {
    const { all, known } = this.findings;
    const hidden = known.length - all.length;
    const text = checkSummary({ found: all.length, pages: pagesOf(all).length, hidden }, coverage);
    const choose = vscode.l10n.t('Choose What to Fix…');
    const show = vscode.l10n.t('Show Problems');
    const buttons = all.length === 0 ? [] : [choose, show];
    const pressed = await vscode.window.showInformationMessage(text, ...buttons);
    if (pressed === choose) {
      await chooseFindings(this.options, this.findings);
    } else if (pressed === show) {
      await vscode.commands.executeCommand('workbench.actions.view.problems');
    }
  }
}

/** The prompts of jobs that are at work, or whose work waits to be merged. */
function openPrompts({ store, describer }: Pick<App, 'store' | 'describer'>): string[] {
  const open = store.jobs.filter(
    (job) => isListed(job) && ['running', 'ready'].includes(describer.summarize(job).group),
  );
  return open.flatMap((job) => firstPromptText(job) ?? []);
}

/** Reports the progress of one of several repositories. */
function reporter(progress: Progress, name: string | undefined, count: number): (done: number, total: number) => void {
  let last = 0;
  return (done, total) => {
    const amount = (done / total).toLocaleString(vscode.env.language, { style: 'percent' });
    const message = name === undefined ? amount : `${toNotice(name, 60)}: ${amount}`;
    progress.report({ message, increment: (Math.max(0, done - last) * 100) / total / count });
    last = Math.max(done, last);
  };
}

/** What a check has found, and what it has not looked at, for a notification. */
export function checkSummary(
  { found, pages, hidden }: { found: number; pages: number; hidden: number },
  coverage: readonly Coverage[],
): string {
  const checked = coverage.reduce((sum, each) => sum + each.pages, 0);
  const texts = found === 0 && hidden > 0 ? [] : [foundText(found, pages)];
  const open = hidden > 0 ? [vscode.l10n.t('Being fixed by open jobs: {0}.', numberText(hidden))] : [];
  return [...texts, checkedText(checked), ...open, ...notCheckedTexts(coverage)].join(' ');
}

function foundText(found: number, pages: number): string {
  if (found === 0) {
    return vscode.l10n.t('No problems found.');
  }
  if (found === 1) {
    return vscode.l10n.t('1 problem in the documentation.');
  }
  return pages === 1
    ? vscode.l10n.t('{0} problems on 1 page.', numberText(found))
    : vscode.l10n.t('{0} problems on {1} pages.', numberText(found), numberText(pages));
}

function checkedText(pages: number): string {
  return pages === 1
    ? vscode.l10n.t('1 page was checked.')
    : vscode.l10n.t('{0} pages were checked.', numberText(pages));
}

function notCheckedTexts(coverage: readonly Coverage[]): string[] {
  const counts = new Map<NotCheckedReason, number>();
  for (const { reason, count } of coverage.flatMap(({ notChecked }) => notChecked)) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => translate(COVERAGE_TEXTS[reason], { count: numberText(count) }));
}
