import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../../jobs/events';
import { followUpObstacle } from '../../../jobs/jobStatus';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import { checkForModels } from '../../../checks/process/checkForModels';
import { serviceEnvironment } from '../../../client/localServiceProcess';
import { type DocsToolInput, jsonLines, readToolInput } from '../../../protocol/docsTools';
import type { App } from '../../app';
import { type ToolName, TOOLS } from '../../ids';
import { isPullRequestOf } from '../../platform/pullRequestLink';
import { toApiJob } from '../../presentation/apiJob';
import { interrupts } from '../../sending/followUps';
import { refuseUnsendable } from '../../sending/promptLimits';
import type { Sending } from '../../sending/sender';
import { settings } from '../../settings';
import { createQuestion, type Destination, followUpQuestion, jobText, listText, sentText } from './toolResult';

/** What the user has confirmed before a prompt is sent; valid for this call only. */
interface Confirmation {
  /** The folder whose project was named in the question, and where the job would go. */
  folder?: vscode.Uri | undefined;
  destination?: Destination | undefined;
  /** The job that was named in the question: a service can report another link or ID for a job at any time. */
  jobKey?: string;
  /** Whether the user was told that a follow-up interrupts the current run. */
  running: boolean;
}

const SETTINGS_CHANGED = 'Nothing was sent: the settings have changed since the user confirmed. Call the tool again.';

/**
 * The implementation of the language model tools. Prompts need the user's confirmation and are then sent like any
 * other.
 */
export class ChatTools {
  private readonly confirmations = new Map<string, Confirmation>();

  constructor(private readonly options: App) {}

  /**
   * Returns the confirmation to show before a tool runs; undefined for tools that only read. Throws with a message for
   * the model.
   */
  async prepare(tool: ToolName, input: unknown): Promise<vscode.PreparedToolInvocation | undefined> {
    const { guard } = this.options;
    if (tool === TOOLS.createJob) {
      const { prompt } = readToolInput(tool, input);
      const { folder, ...destination } = this.destination();
      refuseUnsendable({ service: destination.service, projectId: '' }, prompt);
      const warning = await guard.warning(prompt);
      this.remember(tool, input, { folder, destination, running: false });
      return createQuestion(destination, prompt, warning);
    }
    if (tool === TOOLS.sendFollowUp) {
      const given = readToolInput(tool, input);
      const job = this.find(given.job, true);
      refuseUnsendable(job.location, given.prompt);
      const warning = await guard.warning(given.prompt);
      this.remember(tool, input, { jobKey: job.key, running: interrupts(job) });
      return followUpQuestion(job, given.prompt, warning);
    }
    return undefined;
  }

  /** Resolves to the result for the model. Rejects with a message for the model only if nothing was saved. */
  async invoke(tool: ToolName, input: unknown, token: vscode.CancellationToken): Promise<string> {
    switch (tool) {
      case TOOLS.createJob:
        return this.createJob(readToolInput(tool, input), this.take(tool, input), token);
      case TOOLS.sendFollowUp:
        return this.sendFollowUp(readToolInput(tool, input), this.take(tool, input), token);
      case TOOLS.getJob: {
        const job = this.find(readToolInput(tool, input).job, false);
        return jobText(toApiJob(job), this.options.describer.summarize(job).state);
      }
      case TOOLS.listJobs:
        return this.listJobs(readToolInput(tool, input));
      case TOOLS.checkDocs:
        return this.checkDocs(readToolInput(tool, input), token);
    }
  }

  private async createJob(
    { prompt }: DocsToolInput<typeof TOOLS.createJob>,
    { folder, destination }: Confirmation,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const { projects, sender, guard } = this.options;
    const isHosted = destination !== undefined && destination.service !== LOCAL_SERVICE;
    if (isHosted && destination.project !== hostedProject(folder)) {
      throw new Error(SETTINGS_CHANGED);
    }
    const location = await projects.choose(undefined, folder);
    if (location === undefined) {
      throw new Error('Nothing was sent: no project is set up for this folder. The user was shown how to set one up.');
    }
    if (isElsewhere(location, destination)) {
      throw new Error(SETTINGS_CHANGED);
    }
    refuseCancelled(token);
    guard.remember(prompt);
    return outcomeText(await sender.create(location, prompt));
  }

  private async sendFollowUp(
    { prompt }: DocsToolInput<typeof TOOLS.sendFollowUp>,
    { jobKey = '', running }: Confirmation,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const { sender, guard } = this.options;
    const job = this.find(jobKey, true);
    if (interrupts(job) && !running) {
      throw new Error('Nothing was sent: the job is running again. Call the tool again to ask the user.');
    }
    refuseCancelled(token);
    guard.remember(prompt);
    return outcomeText(await sender.followUp(job, prompt));
  }

  private listJobs({ status, limit = 20 }: DocsToolInput<typeof TOOLS.listJobs>): string {
    const jobs = this.options.store.jobs
      .filter(isListed)
      .map((job) => toApiJob(job))
      .filter((job) => status === undefined || job.status === status)
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    return listText(jobs.slice(0, limit), jobs.length);
  }

  private async checkDocs(
    { base }: DocsToolInput<typeof TOOLS.checkDocs>,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const { repositories, program } = this.options;
    const folders = await repositories.ofFolders();
    if (folders.length === 0) {
      throw new Error('Nothing was checked: no trusted folder in a Git repository is open.');
    }
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    const paths = folders.map(({ rootUri }) => rootUri.fsPath);
    const run = { program, environment: serviceEnvironment(), signal: stop.signal };
    const checks = paths.map(async (folder) => {
      const code = paths.filter((each) => each !== folder);
      const { sentence, problems } = await checkForModels({ ...run, folder, code }, base);
      return jsonLines(paths.length > 1 ? `${basename(folder)}: ${sentence}` : sentence, problems);
    });
    return (await Promise.all(checks)).join('\n');
  }

  /** Finds a job by key, id or pull request, because a model may have seen any of them. */
  private find(name: string, known: boolean): TrackedJob {
    const { store, picker } = this.options;
    const found =
      picker.byName(name) ??
      store.jobs.find((job) => isListed(job) && isPullRequestOf(job.snapshot?.prLink, name.trim()));
    if (found === undefined || !isListed(found)) {
      throw new Error(`No tracked job has this key, ID, or pull request. Use ${TOOLS.listJobs} to list the jobs.`);
    }
    if (known && followUpObstacle(found) !== undefined) {
      throw new Error('Nothing was sent: the service has not accepted this job yet, so it cannot get a follow-up.');
    }
    return found;
  }

  /** Where a new job would go. Never prompts; if the user would be asked for the project, it is undefined. */
  private destination(): Destination & { folder?: vscode.Uri | undefined } {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const active = vscode.window.activeTextEditor?.document.uri;
    const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
    const folder = own ?? (folders.length === 1 ? folders[0] : undefined);
    if (settings.usesLocalService()) {
      return { service: LOCAL_SERVICE, project: folder?.name, folder: folder?.uri };
    }
    const location = this.options.projects.hostedService(true);
    if (location === undefined) {
      throw new Error('Nothing was sent: the service URL is not set up. The user has to set “docsAgent.baseUrl”.');
    }
    return { service: location.origin, project: hostedProject(folder?.uri), folder: folder?.uri };
  }

  private remember(tool: ToolName, input: unknown, asked: Confirmation): void {
    this.confirmations.set(JSON.stringify([tool, input]), asked);
  }

  private take(tool: ToolName, input: unknown): Confirmation {
    const name = JSON.stringify([tool, input]);
    const asked = this.confirmations.get(name);
    this.confirmations.delete(name);
    if (asked === undefined) {
      throw new Error('Nothing was sent: the user did not confirm. Call the tool again.');
    }
    return asked;
  }
}

/** The hosted project of a folder; undefined if the user will be asked for it. */
function hostedProject(folder: vscode.Uri | undefined): string | undefined {
  const asks = folder === undefined && (vscode.workspace.workspaceFolders ?? []).length > 1;
  return asks ? undefined : settings.projectId(folder) || undefined;
}

async function outcomeText({ finished, sent }: Sending): Promise<string> {
  const [{ job, prompt }] = await Promise.all([sent, finished]);
  return sentText(toApiJob(job), prompt);
}

/**
 * Returns true if the job would go somewhere other than the user was told. The local service is not compared by project,
 * because its ids differ from folder names.
 */
function isElsewhere({ service, projectId }: ServiceLocation, announced: Destination | undefined): boolean {
  const { project = projectId } = announced ?? {};
  return service !== announced?.service || (service !== LOCAL_SERVICE && project !== projectId);
}

/** Only before sending: cancelling the chat does not take back a prompt that was sent. */
function refuseCancelled(token: vscode.CancellationToken): void {
  if (token.isCancellationRequested) {
    throw new vscode.CancellationError();
  }
}
