import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { toLabel } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { followUpDraft } from '../../sending/drafts';
import { readFromPage } from './fromPage';
import type { FileDiff, FromPage, PageModel, ToPage } from './model';
import { PAGE_ACTIONS, runPageAction } from './pageActions';
import { PageContent, type PageContentOptions } from './pageContent';
import { pageHtml, pageRoots } from './pageHtml';
import { missingModel } from './pageModel';
import { type PageRequest, sendFromPage, type SendFromPageOptions } from './sendFromPage';

export interface JobPageOptions extends PageContentOptions, SendFromPageOptions {
  extensionUri: vscode.Uri;
  localAvailable: boolean;
}

/** Changes within this many milliseconds are rendered together. */
const SETTLE_MS = 50;

/** Refresh interval of relative times while the page is visible, in milliseconds. */
const AGES_MS = 30_000;

const MAX_TAB_TITLE = 40;

/** The page of one job. It is rendered from the record whenever it becomes visible, and holds no state of its own. */
export class JobPage implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly content: PageContent;
  private settling: NodeJS.Timeout | undefined;
  private ages: NodeJS.Timeout | undefined;
  private isReady = false;
  private isMarking = false;
  private isSending = false;
  /** The text in the page's follow-up box, as last reported. */
  private typed = '';
  private isGone = false;
  private shown: { model: PageModel; json: string } | undefined;
  private shownDiff: readonly FileDiff[] = [];
  /** True once the user has interacted with the page. */
  private used = false;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    readonly jobKey: string,
    private readonly options: JobPageOptions,
  ) {
    const { store, poller } = options;
    const onChange = (key: string): void => {
      if (key === jobKey) {
        this.update();
      }
    };
    this.owned.add(options.drafts.onDidChange(followUpDraft(jobKey), (text) => this.takeDraft(text)));
    this.content = this.owned.add(new PageContent(jobKey, options, () => this.update()));
    this.owned.add(store.onDidChange(({ job }) => onChange(job.key)));
    this.owned.add(poller.onDidChangeHealth(onChange));
    this.owned.add(vscode.window.onDidChangeWindowState(() => this.update()));
    this.owned.add(panel.onDidChangeViewState(() => this.onViewState()));
    this.owned.add(panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message)));
    this.owned.add({ dispose: () => clearTimeout(this.settling) });
    this.owned.add({ dispose: () => clearInterval(this.ages) });
    panel.webview.options = { enableScripts: true, localResourceRoots: pageRoots(options.extensionUri) };
    panel.webview.html = pageHtml(panel.webview, options.extensionUri, jobKey);
    this.update();
    void store.loaded.then(() => this.update());
  }

  /** True while the page was only viewed; another job's page may then replace it. */
  get isPreview(): boolean {
    return !this.used;
  }

  /** Keeps the page open, because the user opened it explicitly or interacted with it. */
  pin(): void {
    this.used = true;
  }

  /** True while its tab is the active one of its group. */
  get isInFront(): boolean {
    return this.panel.visible;
  }

  /** True while it is the active editor. */
  get isActive(): boolean {
    return this.panel.active;
  }

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.panel.viewColumn;
  }

  reveal(preserveFocus: boolean): void {
    this.panel.reveal(undefined, preserveFocus);
  }

  close(): void {
    this.panel.dispose();
  }

  dispose(): void {
    this.isGone = true;
    this.owned.dispose();
  }

  /** Refreshes tab and page, coalescing changes that come close together. */
  update(): void {
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      this.updateNow();
    }, SETTLE_MS);
  }

  private updateNow(): void {
    const job = this.options.store.get(this.jobKey);
    this.showTab(job);
    this.toggleAgeTimer(job);
    if (!this.panel.visible) {
      return;
    }
    if (job !== undefined) {
      this.markSeen(job);
    }
    // Before the records are loaded, it is unknown whether the job exists.
    if (this.isReady && (job !== undefined || this.options.store.isLoaded)) {
      this.show(job === undefined ? missingModel() : this.content.model(job));
    }
  }

  private show(model: PageModel): void {
    const json = JSON.stringify(model);
    if (json !== this.shown?.json) {
      this.shown = { model, json };
      this.post({ type: 'model', model });
    }
    if (this.content.diff !== this.shownDiff) {
      this.shownDiff = this.content.diff;
      this.post({ type: 'diff', files: this.content.diff });
    }
  }

  /** The page has been loaded again, and shows nothing yet. */
  private forget(): void {
    this.shown = undefined;
    this.shownDiff = [];
  }

  private showTab(job: TrackedJob | undefined): void {
    const title = job === undefined ? vscode.l10n.t('Job') : toLabel(jobTitle(job), MAX_TAB_TITLE);
    if (this.panel.title !== title) {
      this.panel.title = title;
    }
    const view = job && this.options.describer.describe(job);
    const name = view?.state === 'merged' ? view.state : (view?.severity ?? 'plain');
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.options.extensionUri, 'media', 'job', `${name}-${theme}.svg`);
    this.panel.iconPath = { light: icon('light'), dark: icon('dark') };
  }

  private toggleAgeTimer(job: TrackedJob | undefined): void {
    const isStale = job !== undefined && this.options.poller.health(job.key) !== undefined;
    if (!this.panel.visible || !isStale) {
      clearInterval(this.ages);
      this.ages = undefined;
    } else {
      this.ages ??= setInterval(() => this.update(), AGES_MS);
    }
  }

  private onViewState(): void {
    if (!this.panel.visible) {
      // A hidden page is destroyed; it sends `ready` again when it is shown.
      this.isReady = false;
      this.forget();
      this.content.rest();
    }
    this.update();
  }

  private markSeen(job: TrackedJob): void {
    if (!job.unseen || this.isMarking || !vscode.window.state.focused) {
      return;
    }
    const { store, log } = this.options;
    this.isMarking = true;
    store
      .append(job.key, { type: 'seen', at: Date.now() })
      .catch((error: unknown) => log.error(`couldn’t mark job ${job.key} as read`, error))
      .finally(() => (this.isMarking = false));
  }

  private receive(received: unknown): void {
    const message = readFromPage(received);
    if (message === undefined) {
      this.options.log.warn('ignored an unknown message from a job page');
      return;
    }
    this.used ||= message.type !== 'ready';
    this.answer(message).catch((error: unknown) => this.options.log.error('a request of a job page failed', error));
  }

  private async answer(message: FromPage): Promise<void> {
    const { drafts, store } = this.options;
    const job = store.get(this.jobKey);
    switch (message.type) {
      case 'ready':
        return this.begin();
      case 'draft':
        this.typed = message.text;
        drafts.type(followUpDraft(this.jobKey), message.text);
        return;
      case 'send':
        return this.send(job, message);
      case 'action':
        if (message.id === PAGE_ACTIONS.fetchAndCheck) {
          return job && this.content.fetchAndCheck(job);
        }
        return runPageAction(this.options, { job, model: this.shown?.model }, message);
      case 'openFile':
        return this.openFile(job, message.path);
    }
  }

  private async begin(): Promise<void> {
    this.isReady = false;
    const text = (await this.options.drafts.open(followUpDraft(this.jobKey))) ?? '';
    // The page may have been closed or hidden in the meantime. A hidden page follows nothing.
    if (this.isGone || !this.panel.visible) {
      return;
    }
    this.typed = text;
    this.isReady = true;
    this.forget();
    this.post({ type: 'draft', text, lastReceived: '' });
    this.updateNow();
  }

  /** Only a file that the page offers. */
  private async openFile(job: TrackedJob | undefined, path: string): Promise<void> {
    if (job !== undefined && this.shown?.model.changes?.files.some((file) => file.path === path) === true) {
      await this.options.results.openFile(job, path);
    }
  }

  /** Takes over the draft for this job, typed or sent elsewhere. */
  private takeDraft(text: string): void {
    const lastReceived = this.typed;
    this.typed = text;
    if (text !== lastReceived && this.isReady) {
      this.post({ type: 'draft', text, lastReceived });
    }
  }

  private async send(job: TrackedJob | undefined, request: PageRequest): Promise<void> {
    if (this.isSending) {
      // The page was reloaded in the meantime, and knows nothing of it.
      this.post({ type: 'notSaved', why: vscode.l10n.t('The previous prompt is still being sent.') });
      return;
    }
    if (job === undefined || this.shown?.model.followUp.refused !== undefined) {
      this.post({ type: 'notSaved', why: this.shown?.model.followUp.refused });
      return;
    }
    this.isSending = true;
    this.typed = request.text;
    const sent = await sendFromPage(this.options, job, request);
    this.isSending = false;
    if (sent.isSaved && this.typed === request.text) {
      // The page clears its box itself.
      this.typed = '';
      await this.options.drafts.drop(followUpDraft(this.jobKey));
    }
    this.post(sent.isSaved ? { type: 'saved', text: request.text } : { type: 'notSaved', why: sent.why });
  }

  private post(message: ToPage): void {
    if (!this.isGone) {
      void this.panel.webview.postMessage(message);
    }
  }
}
