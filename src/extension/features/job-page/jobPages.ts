import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { systemClock } from '../../../base/async';
import type { NetworkSettings } from '../../../base/network';
import { ActivityFollower } from '../../../client/events';
import { DEFAULT_TIMEOUTS, Transport } from '../../../client/transport';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { JOB_PAGE } from '../../ids';
import { reader, readJobNames } from '../../platform/commandArguments';
import type { JobPicker } from '../../presentation/jobPicker';
import { jobTitle } from '../../presentation/jobText';
import { readPageState } from './fromPage';
import { JobPage, type JobPageOptions } from './jobPage';
import { JobResults, type JobResultsOptions } from './jobResults';
import { pageRoots } from './pageHtml';

export interface JobPagesOptions extends JobResultsOptions, Omit<JobPageOptions, 'follower' | 'results'> {
  /** How hosted services are reached. */
  network: () => NetworkSettings;
}

/** The service accepts no more concurrent followers than this. */
const CONNECTIONS = 16;

/** The open pages, one per job. */
export class JobPages implements vscode.Disposable {
  private readonly pages = new Map<string, JobPage>();
  /** The page most recently opened by a click on a row. */
  private previewed: JobPage | undefined;

  private readonly options: JobPageOptions;
  /** Separate connections, so that requests need not wait for followers. */
  private readonly transport: Transport;

  constructor(options: JobPagesOptions) {
    this.transport = new Transport(DEFAULT_TIMEOUTS, options.network, CONNECTIONS);
    const follower = new ActivityFollower({ transport: this.transport, clock: systemClock, random: Math.random });
    this.options = { ...options, follower, results: new JobResults(options) };
  }

  /**
   * Opens the page of a job, or brings it to the front.
   *
   * @param preview opens the page like a preview tab: the focus stays where it is, and the next preview replaces the
   * page unless it was used. If the page is already in front, it takes the focus.
   */
  show(job: TrackedJob, preview = false): void {
    const open = this.pages.get(job.key);
    if (open !== undefined) {
      const stays = !preview || open.isInFront;
      open.reveal(!stays);
      if (stays) {
        open.pin();
      }
      return;
    }
    const replaced = preview && this.previewed?.isPreview === true ? this.previewed : undefined;
    const place = { viewColumn: replaced?.viewColumn ?? vscode.ViewColumn.Active, preserveFocus: preview };
    const panel = vscode.window.createWebviewPanel(JOB_PAGE, jobTitle(job), place, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: pageRoots(this.options.extensionUri),
    });
    const page = this.adopt(panel, job.key);
    if (!preview) {
      page.pin();
      return;
    }
    this.previewed = page;
    replaced?.close();
  }

  /** The key of the job whose page is the active editor. */
  get activeJob(): string | undefined {
    return [...this.pages.values()].find(({ isActive }) => isActive)?.jobKey;
  }

  /** Adopts a page that the editor restored after a reload. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const key = readPageState(state);
    const open = key === undefined ? undefined : this.pages.get(key);
    if (key === undefined || open !== undefined) {
      panel.dispose();
      open?.reveal(false);
      return;
    }
    this.adopt(panel, key).pin();
  }

  /** Leaves the tabs open, because the editor restores them. */
  dispose(): void {
    this.pages.forEach((page) => page.dispose());
    this.pages.clear();
    void this.transport.dispose();
  }

  private adopt(panel: vscode.WebviewPanel, key: string): JobPage {
    const page = new JobPage(panel, key, this.options);
    this.pages.set(key, page);
    panel.onDidDispose(() => {
      page.dispose();
      this.pages.delete(key);
      this.previewed = this.previewed === page ? undefined : this.previewed;
    });
    return page;
  }
}

/** A click on a row opens the page as a preview. */
const readPreview = reader(z.object({ preview: z.literal(true) }));

/** Opens the page of a job other than the one in front, or the pages of all selected rows. */
export async function showJob(picker: JobPicker, pages: () => Promise<JobPages>, argument: unknown): Promise<void> {
  const names = readJobNames(argument);
  const shown = names.length === 0 ? (await pages()).activeJob : undefined;
  for (const job of await picker.chooseSome(names, 'showJob', { fits: ({ key }) => key !== shown })) {
    (await pages()).show(job, readPreview(argument) !== undefined);
  }
}
