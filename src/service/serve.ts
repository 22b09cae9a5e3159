import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../shared/util/clock';
import { customAgent } from '../shared/protocol/localService';
import { processStartTime } from '../shared/util/processStartTime';
import { Redactor } from '../shared/util/redact';
import { CommandAgent } from './agents/commandAgent';
import type { ServeOptions } from './commandLine';
import { finishAllCutOff } from './review/merge/finishCutOff';
import { ReviewDesk } from './review/reviewDesk';
import { Git } from './git/git';
import { UserRepository } from './git/userRepository';
import { createApp } from './http/app';
import { KeyRing } from './http/keyRing';
import { listen, type Listener } from './http/listen';
import { readServiceInput } from './readServiceInput';
import type { Publisher } from './forges/publisher';
import type { AgentSource } from './runner/agentSource';
import { JobDesk } from './runner/jobDesk';
import { JobLocks } from './runner/jobLocks';
import { ProjectRegistry } from './runner/projectRegistry';
import { RateLimit } from './runner/rateLimit';
import { recover } from './runner/recovery';
import { TurnRunner } from './runner/turnRunner';
import { TurnWork } from './runner/turnWork';
import { removeStateFile, writeStateFile } from './stateFile';
import type { JobStore } from './store/jobStore';
import { SqliteJobStore } from './store/sqliteJobStore';
import { streamLogger } from './streamLogger';

/** How long an end in order may take, in milliseconds. */
const END_MS = 10_000;

/** Starts the service and resolves when it is ready; it then lives until a signal or `POST /local/shutdown`. */
export async function serve(options: ServeOptions): Promise<void> {
  surviveClosedStreams();
  const { keys } = await readServiceInput(process.stdin);
  const redactor = new Redactor();
  keys.forEach(({ key }) => redactor.add(key));
  const log = streamLogger(process.stderr, redactor);

  const data = resolve(options.data);
  const jobsFolder = join(data, 'jobs');
  await mkdir(jobsFolder, { recursive: true, mode: 0o700 });
  const store = SqliteJobStore.open(join(data, 'service.db'));
  const unfinished = await recover(store, jobsFolder);

  const git = new Git(process.env);
  const repository = new UserRepository(git);
  const projects = new ProjectRegistry(store, repository);
  const registered = await registerAll(projects, options);
  const agent = new CommandAgent([process.execPath, ownFile(), '--supervise'], process.env);
  const agents: AgentSource = {
    choose: async ({ command }) => ({ name: 'custom', title: basename(command[0] ?? ''), command, driver: agent }),
  };
  const publisher: Publisher = { publish: async () => ({ prLink: null }) };
  const { turnTimeoutMs } = options;
  const work = new TurnWork({ store, agents, publisher, git, repository, jobsFolder, turnTimeoutMs, log });
  const locks = new JobLocks();
  const runner = new TurnRunner({ store, work, locks, log, clock: systemClock, concurrency: 2 });
  const rateLimit = new RateLimit(store, options.rateLimit);
  const mergesFolder = join(data, 'merges');
  const merges = { git, repository, mergesFolder, locks };
  void finishAllCutOff(merges, log);
  const reviews = new ReviewDesk({ ...merges, store, jobsFolder, script: await readPageScript() });

  let shutDown = (): void => undefined;
  const listener = await listen(options.port, store.lastPort(), (port) => {
    const reviewLink = (jobId: string, capability: string) => `http://127.0.0.1:${port}/review/${jobId}/${capability}`;
    // Before the first request, so that a message which comes at once is the newer one.
    unfinished.forEach((turn) => runner.start(turn));
    const jobs = new JobDesk({ store, runner, repository, rateLimit, clock: systemClock, reviewLink });
    return createApp({
      keys: new KeyRing(keys),
      store,
      jobs,
      projects,
      reviews,
      merges,
      log,
      shutDown: () => shutDown(),
    });
  });
  store.setLastPort(listener.port);
  const forget = await announce(options.stateFile, listener.port);
  shutDown = onEnd({ listener, runner, store, forget });
  process.stdout.write(`${JSON.stringify({ ready: true, port: listener.port, projects: registered })}\n`);
}

async function registerAll(projects: ProjectRegistry, options: ServeOptions) {
  const registered: { projectId: string; name: string; folder: string }[] = [];
  for (const folder of options.repositories) {
    const project = await projects.identify(resolve(folder));
    projects.register(project, customAgent(options.agentCommand));
    registered.push({ projectId: project.id, name: project.name, folder: project.folder });
  }
  return registered;
}

/** Writes the state file, if one is wanted. Returns what takes it away again. */
async function announce(file: string | undefined, port: number): Promise<() => Promise<void>> {
  if (file === undefined) {
    return () => Promise.resolve();
  }
  const startTime = (await processStartTime(process.pid)) ?? '';
  const build = createHash('sha256')
    .update(await readFile(ownFile()))
    .digest('hex')
    .slice(0, 12);
  const state = { version: 1 as const, pid: process.pid, startTime, port, build };
  await writeStateFile(file, state);
  return () => removeStateFile(file, state);
}

/** Ends the service in order: no new request, no agent, no file that says it is there. Returns what starts that. */
function onEnd(parts: {
  listener: Listener;
  runner: TurnRunner;
  store: JobStore;
  forget: () => Promise<void>;
}): () => void {
  let ending = false;
  const end = async (): Promise<void> => {
    await parts.forget();
    await Promise.all([parts.listener.close(), parts.runner.stop()]);
    parts.store.close();
  };
  const endOnce = (): void => {
    if (!ending) {
      ending = true;
      // What hangs holds up no end: supervisors end their agents as soon as this process has gone.
      const limit = setTimeout(() => process.exit(0), END_MS);
      void end()
        .catch(() => undefined)
        .finally(() => {
          clearTimeout(limit);
          process.exit(0);
        });
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, endOnce);
  }
  return endOnce;
}

/** The service outlives the window that started it, and with it the pipes that its output went to. */
function surviveClosedStreams(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
}

/** The script of the review page stands beside the service; without it the page is only read. */
function readPageScript(): Promise<string> {
  return readFile(join(dirname(ownFile()), 'reviewPage.js'), 'utf8').catch(() => '');
}

function ownFile(): string {
  return fileURLToPath(import.meta.url);
}
