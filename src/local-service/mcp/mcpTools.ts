import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { delay, systemClock } from '../../base/async';
import { makePrivateFolder } from '../../base/files';
import { changedParagraphs } from '../../base/changedParagraphs';
import { MAX_FIELD, MAX_MESSAGE } from '../../base/limits';
import { dropInvisible, truncateWithEllipsis } from '../../base/text';
import { createWordDiff } from '../../base/wordDiff';
import { checkForModels } from '../../checks/process/checkForModels';
import { AgentClient, type Target } from '../../client/agentClient';
import { ActivityFollower } from '../../client/events';
import { START_LIMIT_MS } from '../../client/localServiceProcess';
import { LocalServiceClient, type LocalTarget } from '../../client/localServiceClient';
import { Transport } from '../../client/transport';
import { boundedFacts, type DocsTool, type DocsToolInput, jsonLines, readToolInput } from '../../protocol/docsTools';
import { ServiceError, type ServiceErrorKind } from '../../protocol/errors';
import type { WireJob } from '../../protocol/job';
import { getActiveState, getEndState, JOB_WORDS } from '../../protocol/jobState';
import { isReviewLink } from '../../protocol/localIds';
import { claimDataFolder } from '../dataFolder';
import type { SettingsOverrides } from '../commandLine';
import { findService } from '../findService';
import type { McpOptions } from './mcpCommandLine';

/** The limit for all changed words in an answer, in UTF-16 units. */
const MAX_CHANGES = 10_000;

/** In the clone of a job, whose agent may have this server among the user's own: its job would create others. */
const OF_JOB = /[\\/]jobs[\\/][0-9a-f]{16}[\\/]work(?![^\\/])/;

/** A sentence for the model, and facts, which may contain text from others. */
type Answer = readonly [sentence: string, facts: readonly object[]];

/** What the user can do about each error of a service. */
const ADVICE: Readonly<Record<ServiceErrorKind, string>> = {
  unauthorized: 'The service rejected the key. The user has to check the settings of this MCP server.',
  forbidden: 'The key does not allow this. The user has to use another one.',
  notFound: 'There is no such job in this project. Use docsAgent_listJobs to list its jobs.',
  rejected: 'The service refused this.',
  limit: 'The limit of requests per hour is reached. Try again later.',
  unreachable: 'The service can’t be reached. Tell the user, and try again later.',
  timeout: 'The service did not respond in time. Try again later.',
  notUnderstood: 'This is not a service that the tools can use. The user has to check the settings of this MCP server.',
  aborted: 'The request was canceled.',
};

/** The tools of the MCP server, as a client of the service. */
export class McpTools {
  private readonly transport = new Transport();
  private readonly jobs = new AgentClient({ clock: systemClock, random: Math.random, transport: this.transport });
  private readonly service = new LocalServiceClient(this.transport);
  private connecting: Promise<LocalTarget> | undefined;

  constructor(
    private readonly options: McpOptions,
    private readonly program: string,
    /** The name of the program in its help. */
    private readonly called: string,
  ) {}

  dispose(): Promise<void> {
    return this.transport.dispose();
  }

  /** Never rejects: an error is a result that says what to do. */
  async call(tool: DocsTool | undefined, input: unknown, signal: AbortSignal) {
    try {
      const [sentence, given] = await this.run(tool, input ?? {}, signal);
      const facts = JSON.parse(dropInvisible(JSON.stringify(given))) as object[];
      // Some clients show a model only the text, others only the structure.
      const content = [{ type: 'text' as const, text: jsonLines(sentence, facts) }];
      return { content, structuredContent: { sentence, facts } };
    } catch (error) {
      const sends = tool === 'docsAgent_createJob' || tool === 'docsAgent_sendFollowUp';
      return { isError: true, content: [{ type: 'text' as const, text: dropInvisible(problemOf(error, sends)) }] };
    }
  }

  private async run(tool: DocsTool | undefined, input: unknown, signal: AbortSignal): Promise<Answer> {
    switch (tool) {
      case 'docsAgent_createJob':
        return this.createJob(readToolInput(tool, input));
      case 'docsAgent_sendFollowUp':
        return this.sendFollowUp(readToolInput(tool, input));
      case 'docsAgent_getJob':
        return this.getJob(readToolInput(tool, input), signal);
      case 'docsAgent_listJobs':
        return this.listJobs(readToolInput(tool, input));
      case 'docsAgent_checkDocs': {
        const { base } = readToolInput(tool, input);
        const run = { program: this.program, environment: process.env, folder: this.options.repo, code: [], signal };
        const { sentence, problems } = await checkForModels(run, base);
        return [sentence, problems];
      }
      default:
        throw new Error('There is no such tool.');
    }
  }

  private async createJob({ prompt }: DocsToolInput<'docsAgent_createJob'>): Promise<Answer> {
    const { target, dirty, agent } = await this.project(this.options.settings);
    if (agent === null) {
      throw new Error('Nothing was sent: no coding agent was found that could do it. The user has to install one.');
    }
    const job = await this.jobs.createJob(target, prompt);
    const unseen = dirty ? ' It does not see the uncommitted changes in the repository.' : '';
    const sentence = `The job was accepted. The agent is working on it in the background, which usually takes minutes, so do not wait for it.${unseen}`;
    return [sentence, [this.factsOf(job)]];
  }

  private async sendFollowUp({ job: name, prompt }: DocsToolInput<'docsAgent_sendFollowUp'>): Promise<Answer> {
    const { target } = await this.project(this.options.settings);
    const { id } = await this.find(target, name);
    const job = await this.jobs.sendMessage(target, id, prompt);
    return ['The follow-up was accepted. The agent is working on it in the same branch.', [this.factsOf(job)]];
  }

  private async getJob({ job: name }: DocsToolInput<'docsAgent_getJob'>, signal: AbortSignal): Promise<Answer> {
    const { target } = await this.project();
    const job = await this.find(target, name);
    const { id, prLink, review } = job;
    const hasPage = isReviewLink(prLink ?? '', id) && review == null;
    // A hosted service has none of these.
    const [summary, changedWords, reviewPage] = await Promise.all([
      this.summary(target, id, signal).catch(() => undefined),
      this.changedWords(target, id).catch(() => undefined),
      hasPage ? this.service.reviewLink(target, target.projectId, id).catch(() => undefined) : undefined,
    ]);
    const marks = changedWords?.length ? ' In the changed words, [-…-] was deleted, and {+…+} was added.' : '';
    return [wordsOf(job) + marks, [{ ...this.factsOf(job), reviewPage, summary, changedWords }]];
  }

  private async listJobs({ status, limit = 20 }: DocsToolInput<'docsAgent_listJobs'>): Promise<Answer> {
    const { target } = await this.project();
    const jobs: WireJob[] = [];
    for await (const job of this.service.jobs(target, target.projectId)) {
      if (jobs.length > limit) {
        break;
      }
      jobs.push(...(status === undefined || job.status === status ? [job] : []));
    }
    const shown = jobs.slice(0, limit);
    const count = shown.length === 0 ? 'No job matches.' : `Jobs, newest first: ${shown.length}.`;
    const more = ' Older jobs are not shown. Use a higher limit, or filter by status.';
    return [count + (jobs.length > limit ? more : ''), shown.map((job) => this.factsOf(job))];
  }

  /** Finds a job by its ID or its pull request. */
  private async find(target: Target, name: string): Promise<WireJob> {
    if (!/^https?:/.test(name)) {
      return this.jobs.retrieveJob(target, name.trim());
    }
    for await (const job of this.service.jobs(target, target.projectId)) {
      if (job.prLink === name.trim()) {
        return job;
      }
    }
    throw new ServiceError('notFound', { effect: 'none' });
  }

  /** What the agent said last in the newest run. */
  private async summary(target: Target, jobId: string, signal: AbortSignal): Promise<string | undefined> {
    const last = { text: '', turn: 0 };
    await new ActivityFollower({ transport: this.transport, clock: systemClock, random: Math.random }).follow({
      ...{ jobId, signal, target: async () => target, stays: () => false },
      onEvents: (events) => {
        for (const { turn, entry } of events) {
          last.text = entry.kind === 'message' ? entry.text : turn > last.turn ? '' : last.text;
          last.turn = turn;
        }
      },
    });
    return truncateWithEllipsis(last.text, MAX_MESSAGE) || undefined;
  }

  private async changedWords(target: Target, jobId: string): Promise<object[]> {
    const { files } = await this.service.diff(target, target.projectId, jobId);
    const diffWords = createWordDiff();
    const marks = { unchanged: ['', ''], deleted: ['[-', '-]'], inserted: ['{+', '+}'] } as const;
    let left = MAX_CHANGES;
    return files.map(({ path, patch, isCut }) => {
      const all = changedParagraphs(patch, { diffWords, isProse: /\.(md|mdx|markdown)$/i.test(path) }).map((parts) =>
        parts.map(({ kind, text }) => marks[kind][0] + text + marks[kind][1]).join(''),
      );
      const changes = all.filter(({ length }) => (left -= length) >= 0);
      return { path, changes, isCut: isCut || changes.length < all.length || undefined };
    });
  }

  private factsOf(job: WireJob): object {
    const { id, status, title, prLink = null, error, note, model, source, changes, createdAt, turn, review } = job;
    const isReview = isReviewLink(prLink ?? '', id);
    // A truncated link would point somewhere else.
    const pullRequest = !isReview && prLink !== null && /^https?:[\x21-\x7e]{1,2000}$/.test(prLink) ? prLink : null;
    const toMerge = isReview && review == null ? `${this.called} merge ${id}` : undefined;
    const followUps = turn == null ? undefined : turn - 1;
    const facts = { id, status, title, pullRequest, toMerge, branch: source?.ref, error, note, agent: model };
    return boundedFacts({ ...facts, changes: changes ?? undefined, createdAt, followUps });
  }

  /** The project of the repository, registered with the running service, which is started if there is none. */
  private async project(
    settings?: SettingsOverrides,
  ): Promise<{ target: Target; dirty?: boolean; agent?: object | null }> {
    const { team, repo } = this.options;
    if ([repo, process.cwd()].some((folder) => OF_JOB.test(folder))) {
      throw new Error('This is the clone of a documentation job. Do its work yourself, without these tools.');
    }
    if (team !== undefined) {
      return { target: team };
    }
    this.connecting ??= this.findOrStart().finally(() => (this.connecting = undefined));
    const local = await this.connecting;
    const registered = await this.service.registerProject(local, { folder: repo });
    const { projectId } = registered;
    const known = settings && { ...(await this.service.settings(local, projectId)), ...settings };
    const changed = known && (await this.service.putSettings(local, projectId, known));
    return { ...registered, ...changed, target: { ...local, projectId, isLocal: true } };
  }

  private async findOrStart(): Promise<LocalTarget> {
    const { data } = this.options;
    const running = await findService(data);
    if (running !== undefined) {
      return running;
    }
    await makePrivateFolder(data);
    await claimDataFolder(data);
    // Started by a process that ends: some clients end whatever their servers have started.
    await promisify(execFile)(process.execPath, [this.program, '--launch', data]);
    for (let waited = 0; waited < START_LIMIT_MS; waited += 100) {
      const started = await findService(data);
      if (started !== undefined) {
        return started;
      }
      await delay(systemClock, 100);
    }
    throw new ServiceError('unreachable', { effect: 'none', detail: 'another program is starting it' });
  }
}

function wordsOf(job: WireJob): string {
  const { status, review, surroundings, prLink } = job;
  const ended = review ?? surroundings?.pullRequest?.state;
  const isOver = status === 'completed' && (ended === 'merged' || ended === 'closed');
  const isReview = isReviewLink(prLink ?? '', job.id);
  return JOB_WORDS[status === 'active' ? getActiveState(job) : isOver ? ended : getEndState(job, isReview)];
}

function problemOf(error: unknown, sends: boolean): string {
  if (!(error instanceof ServiceError)) {
    return error instanceof Error ? error.message : String(error);
  }
  const { kind, effect, detail } = error;
  const said = detail === '' ? '' : ` It says: ${JSON.stringify(truncateWithEllipsis(detail, MAX_FIELD))}`;
  const sent =
    effect === 'unknown'
      ? ' It may have accepted the prompt: look with docsAgent_listJobs before you send it again.'
      : ' Nothing was sent.';
  return ADVICE[kind] + (sends ? sent : '') + said;
}
