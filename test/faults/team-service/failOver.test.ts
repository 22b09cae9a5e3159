import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ActivityEvent } from '../../../src/protocol/activity';
import { needsDebianPackage } from '../../support/debianPackages';
import { addHook } from '../../support/gitServer';
import { ReplicatedPostgres } from '../../support/replicatedPostgres';
import { type HostedRepository, ReviewHost } from '../../support/reviewHost';
import { isLongRun, report, scaled } from '../../support/scale';
import { readEvents } from '../../support/eventStream';
import { type TeamProcess, TeamProcesses } from '../../support/teamProcesses';
import { sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

/** Where a job waits until the standby has taken the place of the primary. One that waits nowhere takes what time it needs. */
type Moment = 'agent' | 'push' | 'pull request' | 'nowhere';

/** What keeps jobs waiting until it is opened. Git gives up a push after a minute, and the service a request after 20 seconds. */
type Gate = Exclude<Moment, 'nowhere'> | 'start of pushes' | 'start of pull requests';

interface Plan {
  /** Jobs for each moment. */
  jobs: number;
  workers: number;
  concurrency: number;
  /** How long the standby refuses changes, in milliseconds. */
  refusesMs: number;
}

const PLAN: Plan = isLongRun
  ? { jobs: 25, workers: 3, concurrency: 28, refusesMs: 12_000 }
  : { jobs: 2, workers: 2, concurrency: 4, refusesMs: 3_000 };

/** How long a job may take after the fail-over, in milliseconds. */
const LIMIT_MS = 180_000;

const API_PROCESSES = 2;

/** Files that exist as soon as jobs may pass, and files with a line for each job that has come to wait. */
class Gates {
  constructor(private readonly folder: string) {}

  /** Shell commands that wait. */
  waitAt(gate: Gate): string {
    return `echo >> "${this.file(gate)}.arrived"; while [ ! -e "${this.file(gate)}" ]; do sleep 0.5; done`;
  }

  async pass(gate: Gate): Promise<void> {
    const arrived = this.arrivedAt(gate);
    await writeFile(`${this.file(gate)}.arrived`, '\n'.repeat(arrived + 1));
    await until(() => fileOr(this.file(gate)) !== undefined);
  }

  arrivedAt(gate: Gate): number {
    return fileOr(`${this.file(gate)}.arrived`)?.length ?? 0;
  }

  async open(...gates: Gate[]): Promise<void> {
    await Promise.all(gates.map((gate) => writeFile(this.file(gate), '')));
  }

  private file(gate: Gate): string {
    return join(this.folder, gate.replaceAll(' ', '-'));
  }
}

function fileOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function until(isTrue: () => boolean | Promise<boolean>, limitMs = Infinity): Promise<void> {
  for (const start = Date.now(); !(await isTrue()) && Date.now() - start < limitMs;) {
    await delay(100);
  }
}

const promptOf = (number: number, moment: Moment): string => `Describe lamp-${number}, which waits: ${moment}`;

/** An agent that writes a page. */
const agentOf = (gates: Gates): string => `
prompt=$(cat)
case "$prompt" in
*'waits: agent'*) ${gates.waitAt('agent')} ;;
*'waits: push'*) ${gates.waitAt('start of pushes')} ;;
*'waits: pull request'*) ${gates.waitAt('start of pull requests')} ;;
esac
name=$(printf '%s' "$prompt" | sed -n 's/.*\\(lamp-[0-9]*\\).*/\\1/p' | head -n 1)
printf '%s\\n' "$prompt" > "$name.md"
`;

/** Creates a repository on a host that lets pushes and requests for pull requests wait. */
async function repositoryOn(
  host: ReviewHost,
  gates: Gates,
): Promise<{ repository: HostedRepository; asked: string[] }> {
  const repository = await host.add('acme/docs', await sampleRepository());
  const isToWait = `git show "$new" | grep -q 'waits: push'`;
  const hook = `while read -r old new name; do if ${isToWait}; then ${gates.waitAt('push')}; fi; done`;
  await addHook(repository.folder, 'pre-receive', hook);
  const asked: string[] = [];
  const open = repository.open.bind(repository);
  repository.open = async (spec) => {
    asked.push(spec.branch);
    if (spec.title.includes('waits: pull request')) {
      await gates.pass('pull request');
    }
    return open(spec);
  };
  return { repository, asked };
}

/** The answer to a request. */
interface Answer {
  /** When the request was sent, and when it was answered. */
  sentAt: number;
  at: number;
  /** The status, with a mark if there is a header `Retry-After`; `lost` without an answer. */
  status: string;
}

interface Job {
  status: string;
  error?: string | null;
  prLink: string | null;
  source: { ref: string | null };
}

/** Clients of several API processes. */
class Clients {
  /** Answers to prompts, and to the question whether a process is ready. */
  readonly answers: Answer[] = [];
  readonly readiness: Answer[] = [];
  /** The jobs that were accepted. */
  readonly jobs: string[] = [];
  private prompts = 0;

  constructor(
    private readonly ports: readonly number[],
    private readonly project: string,
    private readonly key: string,
  ) {}

  /** Sends a prompt until it is accepted. */
  async create(moment: Moment): Promise<void> {
    const prompt = promptOf((this.prompts += 1), moment);
    for (;;) {
      const port = this.ports[this.answers.length % this.ports.length];
      const { answer, body } = await this.ask(port, '', { method: 'POST', body: JSON.stringify({ prompt }) });
      this.answers.push(answer);
      if (answer.status === '201') {
        this.jobs.push((body as { id: string }).id);
        return;
      }
      await delay(300);
    }
  }

  async job(id: string): Promise<Job> {
    return (await this.ask(this.ports[0], `/${id}`)).body as Job;
  }

  /** Asks all processes whether they are ready, again and again. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const all = this.ports.map((port) => answerOf(fetch(`http://127.0.0.1:${port}/readyz`)));
      this.readiness.push(...(await Promise.all(all)).map(({ answer }) => answer));
      await delay(100);
    }
  }

  /** Reads a job's activity log until the run ends, as the extension does: again after the last event, if a stream ends. */
  async follow(id: string): Promise<number[]> {
    const read: number[] = [];
    const hasEnded = { now: false };
    while (!hasEnded.now) {
      const add = ({ id: event, entry }: ActivityEvent): void => {
        read.push(event);
        hasEnded.now ||= entry.kind === 'state' && /done|failed|cancelled/.test(entry.state);
      };
      const reader = await readEvents(this.eventsOf(id), this.key, read.at(-1), add).catch(() => undefined);
      await Promise.race([reader?.ended, until(() => hasEnded.now)]);
      reader?.close();
      await delay(500);
    }
    return read;
  }

  /** The ids of all events of a job. */
  async events(id: string): Promise<number[]> {
    const { events, ended } = await readEvents(`${this.eventsOf(id)}?follow=false`, this.key);
    await ended;
    return events.map((event) => event.id);
  }

  private eventsOf(id: string): string {
    return `${this.urlOf(this.ports[0])}/${id}/events`;
  }

  private ask(port: number | undefined, path: string, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    return answerOf(fetch(`${this.urlOf(port)}${path}`, { ...init, headers }));
  }

  private urlOf(port = 0): string {
    return `http://127.0.0.1:${port}/v2/agent/${this.project}/job`;
  }
}

async function answerOf(response: Promise<Response>): Promise<{ answer: Answer; body: unknown }> {
  const sentAt = Date.now();
  try {
    const { status, headers } = await response;
    const body: unknown = await (await response).json();
    const later = headers.has('retry-after') ? ', later' : '';
    return { answer: { sentAt, at: Date.now(), status: `${status}${later}` }, body };
  } catch {
    return { answer: { sentAt, at: Date.now(), status: 'lost' }, body: undefined };
  }
}

/** How often each status occurs. */
function counts(all: readonly { status: string }[]): Record<string, number> {
  const found: Record<string, number> = {};
  all.forEach(({ status }) => (found[status] = (found[status] ?? 0) + 1));
  return found;
}

/** Real processes, servers, and repositories. Only the agent and the host’s list of pull requests are made for this. */
describe('a team’s service whose database fails over', function () {
  this.timeout(scaled(300_000, 1_200_000));
  needsDebianPackage('postgresql', '/usr/bin/pg_ctlcluster');
  const toClose: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) {
      await close();
    }
  });

  it('keeps all jobs running, and refuses new ones for as long as nothing can be saved', () => run(false));

  // Dead connections are noticed only after 30 seconds.
  (isLongRun ? it : it.skip)('does the same if the machine of the database is lost', () => run(true));

  async function run(isSilent: boolean): Promise<void> {
    const database = await ReplicatedPostgres.start('jobs');
    toClose.push(() => database.close());
    const gates = new Gates(await temporaryFolder());
    const host = await ReviewHost.start('gitea');
    toClose.push(() => host.close());
    const { repository, asked } = await repositoryOn(host, gates);
    const service = await TeamProcesses.on(database.url);
    toClose.push(() => service.close());
    const agent = ['--agent-command', JSON.stringify(['sh', '-c', agentOf(gates)]), '--confine', 'off'];
    const project = await service.manage('project', 'add', '--repository', `${repository.url}.git`, ...agent);
    const key = await service.manage('key', 'create', '--project', project);
    const token = { DOCS_AGENT_TOKENS: `${new URL(repository.url).host}=secret` };
    const processes: TeamProcess[] = [];
    for (let index = 0; index < API_PROCESSES; index++) {
      processes.push(await service.start(['api', '--port', '0', '--rate-limit', '1000']));
    }
    const clients = new Clients(
      processes.map(({ port }) => port),
      project,
      key,
    );
    for (let index = 0; index < PLAN.workers; index++) {
      const options = ['--data', await temporaryFolder(), '--concurrency', String(PLAN.concurrency)];
      processes.push(await service.start(['worker', ...options], token));
    }
    const create = async (moment: Moment, count: number): Promise<void> => {
      await Promise.all(Array.from({ length: count }, () => clients.create(moment)));
    };

    const { jobs: count, refusesMs } = PLAN;
    for (const moment of ['agent', 'push', 'pull request'] as const) {
      await create(moment, count);
    }
    const starts = ['agent', 'start of pushes', 'start of pull requests'] as const;
    await until(() => starts.every((gate) => gates.arrivedAt(gate) === count));
    const ending = new AbortController();
    const watched = clients.watch(ending.signal);
    const followed = clients.jobs.slice(0, count).map((id) => clients.follow(id));
    await gates.open('start of pushes');
    await until(() => gates.arrivedAt('push') >= count / 2);
    await gates.open('start of pull requests');
    const first = Math.ceil(count / 2);
    await create('nowhere', first);
    await until(() => gates.arrivedAt('pull request') > 0);
    const rest = Array.from({ length: count - first - 1 }, (_, index) =>
      delay((index * refusesMs) / count).then(() => clients.create('nowhere')),
    );
    const before = await statesIn(database.url);
    const crashAt = Date.now();
    await database.failOver(isSilent);
    const refusesAt = Date.now();
    rest.push(clients.create('nowhere'));
    await delay(refusesMs / 3);
    await gates.open('agent', 'push', 'pull request');
    await delay((refusesMs * 2) / 3);
    const isRefused = ({ sentAt, status }: Answer) => sentAt >= refusesAt && status.startsWith('503');
    const hasRefused = () => clients.answers.some(isRefused) && clients.readiness.some(isRefused);
    // A busy machine may take its time.
    await until(() => isSilent || hasRefused(), LIMIT_MS);
    const promotedAt = Date.now();
    await database.promote();
    await Promise.all(rest);
    const ended = async () => (await statesIn(database.url)).every(({ state }) => /done|failed|cancelled/.test(state));
    await until(ended, LIMIT_MS);
    ending.abort();
    await watched;

    const jobs = await Promise.all(clients.jobs.map((id) => clients.job(id)));
    const links = new Map(repository.pulls.map(({ branch, number }) => [branch, `${repository.url}/pulls/${number}`]));
    const hasLink = ({ prLink, source }: Job) => prLink !== null && prLink === links.get(source.ref ?? '');
    // What was on its way when the server crashed may have been saved, so its client must not send it again.
    const isCertain = ({ sentAt, at }: Answer) => sentAt >= refusesAt || at <= crashAt;
    const isMeanwhile = ({ sentAt, at }: Answer) => sentAt >= refusesAt && at <= promotedAt;
    const meanwhile = {
      answers: counts(clients.answers.filter(isMeanwhile)),
      readiness: counts(clients.readiness.filter(isMeanwhile)),
    };
    const found = {
      ends: counts(jobs.map(({ status, error }) => ({ status: `${status} ${error ?? ''}`.trim() }))),
      withoutLink: jobs.filter((job) => !hasLink(job)).length,
      askedTwice: asked.length - new Set(asked).size,
      otherAnswers: counts(
        clients.answers.filter(isCertain).filter(({ status }) => !/^(?:201|503, later|lost)$/.test(status)),
      ),
      otherMeanwhile: Object.keys({ ...meanwhile.answers, ...meanwhile.readiness }).filter(
        (status) => !status.startsWith('503'),
      ),
      // The queue fails every second for as long as nothing can be saved.
      repeatedInLog: processes.filter(({ said }) => (said().match(/ the queue\b/g) ?? []).length > scaled(2, 4)).length,
      readyAtTheEnd: counts(clients.readiness.slice(-API_PROCESSES)),
      exited: processes.filter(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null)
        .length,
    };
    const logs = await Promise.all(clients.jobs.slice(0, count).map((id) => clients.events(id)));
    const runs = counts(before.map(({ state }) => ({ status: state })));
    const begunAgain = (await statesIn(database.url)).filter(({ attempt }) => attempt > 1).length;
    const states = Object.entries(runs).map(([state, number]) => `${number} ${state}`);
    report({
      promise: 'A team’s jobs survive a fail-over',
      what: `PostgreSQL ${database.version.split(' ', 1).join('')} ${isSilent ? 'lost with its machine' : 'stopped at once'}, its synchronous standby promoted ${refusesMs / 1000} s later; ${4 * count} jobs with pull requests (${states.join(', ')}, the others new)`,
      figure: `${4 * count - (found.ends['completed'] ?? 0)} failed, ${found.withoutLink} links lost, ${found.askedTwice} duplicate pull requests${isSilent ? '' : `; meanwhile, ${meanwhile.answers['503, later'] ?? 0} prompts refused with 503`}`,
    });
    const expected: typeof found = {
      ends: { completed: 4 * count },
      withoutLink: 0,
      askedTwice: 0,
      otherAnswers: {},
      otherMeanwhile: [],
      repeatedInLog: 0,
      readyAtTheEnd: { 200: API_PROCESSES },
      exited: 0,
    };
    assert.deepEqual(found, expected, JSON.stringify({ runs, meanwhile, begunAgain }));
    assert.ok(isSilent || hasRefused(), 'nothing was refused');
    assert.deepEqual(await Promise.all(followed), logs);
  }
});

async function statesIn(url: string): Promise<{ state: string; attempt: number }[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<{ state: string; attempt: number }>('SELECT state, attempt FROM turns')).rows;
  } finally {
    await client.end();
  }
}
