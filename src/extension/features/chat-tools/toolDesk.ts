import * as vscode from 'vscode';
import { countInvisible, showInvisible } from '../../../base/text';
import { type Home, LOCAL_SERVICE } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import { type ToolName, TOOLS } from '../../ids';
import { isPullRequestOf } from '../../platform/pullRequestLink';
import { toApiJob } from '../../presentation/apiJob';
import type { JobPicker } from '../../presentation/jobPicker';
import { interrupts } from '../../sending/followUps';
import type { Projects } from '../../sending/projects';
import { refuseTooLong } from '../../sending/promptLimits';
import type { SendGuard } from '../../sending/sendGuard';
import type { Sender, Sending } from '../../sending/sender';
import { settings } from '../../settings';
import { MAX_LISTED, readToolInput, type ToolInput } from './toolInput';
import { createQuestion, type Destination, followUpQuestion, jobText, listText, sentText } from './toolResult';

export interface ToolDeskOptions {
  store: JobStore;
  picker: JobPicker;
  projects: Projects;
  sender: Sender;
  guard: SendGuard;
}

/** What the user was asked before a prompt goes: the answer is good for this and nothing else. */
interface Asked {
  /** The folder whose project was named, and the id of that with the hosted service. */
  folder?: vscode.Uri | undefined;
  destination?: Destination | undefined;
  /** That a follow-up would stop the present work. */
  running: boolean;
}

/** More questions than ever wait at once: one that was never answered is forgotten. */
const MAX_ASKED = 50;

/** What chat agents of the editor can do. What costs waits for the user's word, and then goes the way of all prompts. */
export class ToolDesk {
  private readonly asked = new Map<string, Asked>();

  constructor(private readonly options: ToolDeskOptions) {}

  /** The question before a tool runs; undefined where it only reads. Throws with a sentence for the model. */
  async prepare(tool: ToolName, input: unknown): Promise<vscode.PreparedToolInvocation | undefined> {
    const { guard } = this.options;
    if (tool === TOOLS.createJob) {
      const { prompt } = readToolInput(tool, input);
      const { folder, ...destination } = this.destination();
      refuseTooLong({ service: destination.service, projectId: '' }, prompt);
      const warning = await guard.warning(prompt);
      this.remember(tool, input, { folder, destination, running: false });
      return createQuestion(destination, prompt, warning);
    }
    if (tool === TOOLS.sendFollowUp) {
      const given = readToolInput(tool, input);
      const job = this.find(given.job, true);
      refuseTooLong(job.home, given.prompt);
      const warning = await guard.warning(given.prompt);
      this.remember(tool, input, { running: interrupts(job) });
      return followUpQuestion(job, given.prompt, warning);
    }
    return undefined;
  }

  /** Resolves to what the model is told; rejects with a sentence for it only when nothing was kept. */
  async invoke(tool: ToolName, input: unknown, token: vscode.CancellationToken): Promise<string> {
    switch (tool) {
      case TOOLS.createJob:
        return this.createJob(readToolInput(tool, input), this.take(tool, input), token);
      case TOOLS.sendFollowUp:
        return this.sendFollowUp(readToolInput(tool, input), this.take(tool, input), token);
      case TOOLS.getJob:
        return jobText(toApiJob(this.find(readToolInput(tool, input).job, false)));
      case TOOLS.listJobs:
        return this.listJobs(readToolInput(tool, input));
    }
  }

  private async createJob(
    { prompt }: ToolInput<typeof TOOLS.createJob>,
    { folder, destination }: Asked,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const { projects, sender, guard } = this.options;
    const home = await projects.choose(undefined, folder);
    if (home === undefined) {
      throw new Error('Nothing was sent: no project is set up for this folder. The user was told what to set.');
    }
    if (isElsewhere(home, destination)) {
      throw new Error('Nothing was sent: the settings have changed since the user was asked. Call the tool once more.');
    }
    refuseCancelled(token);
    guard.remember(prompt);
    return outcomeText(await sender.create(home, prompt));
  }

  private async sendFollowUp(
    { job: name, prompt }: ToolInput<typeof TOOLS.sendFollowUp>,
    { running }: Asked,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const { sender, guard } = this.options;
    const job = this.find(name, true);
    if (interrupts(job) && !running) {
      throw new Error('Nothing was sent: the job has started to run again. Call the tool once more to ask the user.');
    }
    refuseCancelled(token);
    guard.remember(prompt);
    return outcomeText(await sender.followUp(job, prompt));
  }

  private listJobs({ status, limit = 20 }: ToolInput<typeof TOOLS.listJobs>): string {
    const jobs = this.options.store.jobs
      .filter(isListed)
      .map((job) => toApiJob(job))
      .filter((job) => status === undefined || job.status === status)
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    return listText(jobs.slice(0, Math.min(limit, MAX_LISTED)), jobs.length);
  }

  /** By key, id, or pull request: a model has seen any of them. */
  private find(name: string, known: boolean): TrackedJob {
    const { store, picker } = this.options;
    const found =
      picker.byName(name) ??
      store.jobs.find((job) => isListed(job) && isPullRequestOf(job.snapshot?.prLink, name.trim()));
    if (found === undefined || !isListed(found)) {
      throw new Error(`No job in the list has this key, id or pull request. ${TOOLS.listJobs} tells which there are.`);
    }
    if (known && found.snapshot === undefined) {
      throw new Error('Nothing was sent: the service has not accepted this job yet, so it takes no follow-up.');
    }
    return found;
  }

  /** Asks nobody and changes nothing: where the user would be asked, no project is named. */
  private destination(): Destination & { folder?: vscode.Uri | undefined } {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const active = vscode.window.activeTextEditor?.document.uri;
    const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
    const folder = own ?? (folders.length === 1 ? folders[0] : undefined);
    if (settings.usesLocalService()) {
      return { service: LOCAL_SERVICE, project: folder?.name, folder: folder?.uri };
    }
    const home = this.options.projects.hostedService(true);
    if (home === undefined) {
      throw new Error('Nothing was sent: the address of the service is not set up. The user sets “docsAgent.baseUrl”.');
    }
    const asks = folder === undefined && folders.length > 1;
    const project = asks ? undefined : settings.projectId(folder?.uri) || undefined;
    return { service: home.origin, project, folder: folder?.uri };
  }

  private remember(tool: ToolName, input: unknown, asked: Asked): void {
    const name = JSON.stringify([tool, input]);
    this.asked.delete(name);
    this.asked.set(name, asked);
    const [oldest] = this.asked.keys();
    if (this.asked.size > MAX_ASKED && oldest !== undefined) {
      this.asked.delete(oldest);
    }
  }

  private take(tool: ToolName, input: unknown): Asked {
    const name = JSON.stringify([tool, input]);
    const asked = this.asked.get(name);
    this.asked.delete(name);
    if (asked === undefined) {
      throw new Error('Nothing was sent: the user was not asked. Call the tool once more.');
    }
    return asked;
  }
}

async function outcomeText({ finished, sent }: Sending): Promise<string> {
  const [{ job, send }] = await Promise.all([sent, finished]);
  return sentText(toApiJob(job), send);
}

/** True when it would go to another place than the user was told. The local service names projects by other ids. */
function isElsewhere(home: Home, told: Destination | undefined): boolean {
  const otherProject = home.service !== LOCAL_SERVICE && told?.project !== undefined && told.project !== home.projectId;
  return otherProject || home.service !== told?.service;
}

/** Before the send only: what was sent is not taken back by a chat that ends. */
function refuseCancelled(token: vscode.CancellationToken): void {
  if (token.isCancellationRequested) {
    throw new vscode.CancellationError();
  }
}

/** So much of the beginning and of the end of a long prompt is shown before it is sent, in characters. */
const HEAD = 3000;
const TAIL = 1500;

/** What a person sees of a prompt that a program wants to send. */
export interface ShownPrompt {
  /** The whole prompt, or its beginning, character for character but for what is written as a number. */
  beginning: string;
  /** Of a long prompt. */
  end?: { leftOut: number; text: string };
  /** How many characters of the whole prompt can't be seen; they are written as their numbers. */
  invisible: number;
}

/**
 * Of a very long prompt the end is shown, too, since a model that was misled would put there what is not to be seen.
 */
export function shownPrompt(prompt: string): ShownPrompt {
  const invisible = countInvisible(prompt);
  const leftOut = prompt.length - HEAD - TAIL;
  if (leftOut <= 0) {
    return { beginning: showInvisible(prompt), invisible };
  }
  const end = { leftOut, text: showInvisible(prompt.slice(-TAIL)) };
  return { beginning: showInvisible(prompt.slice(0, HEAD)), end, invisible };
}
