import { join, resolve } from 'node:path';
import { systemClock } from '../base/async';
import { makePrivateFolder } from '../base/files';
import { Redactor } from '../base/redact';
import { Git } from '../git/git';
import { reviewPath } from '../protocol/localIds';
import {
  type AgentsAnswer,
  type ProjectSettings,
  projectSettingsSchema,
  type ServiceInput,
} from '../protocol/localService';
import { AgentSelector } from './agents/agentSelector';
import { findDemoAgent } from './agents/demoAgent';
import { findSandbox } from './agents/sandbox';
import { toEnglish } from './codedText';
import type { ServeOptions } from './commandLine';
import { claimDataFolder, KEY_FILE, readOrCreateKey, STATE_FILE, userFolder } from './dataFolder';
import { TokenStore } from './forges/credentials';
import { ForgePublisher } from './forges/forgePublisher';
import { removeStalePushDirectories } from './git/pushBranch';
import { UserRepository } from './git/userRepository';
import { createApp } from './http/app';
import { KeyRing } from './http/authentication';
import { listen } from './http/listen';
import { ReviewAccess } from './http/reviewAccess';
import { agentSource } from './jobs/agentSettings';
import { onFinished } from './jobs/onFinished';
import { JobArchive, scheduleArchiveCleanup } from './jobs/jobArchive';
import { JobOperations } from './jobs/jobOperations';
import { JobLocks } from './jobs/jobLocks';
import { ProjectRegistry, storageReport } from './jobs/projectRegistry';
import { type ResultCheck } from './jobs/publishTurn';
import { TokenHandover } from './jobs/tokenHandover';
import { recover } from './jobs/recovery';
import { TurnRunner } from './jobs/turnRunner';
import { TurnExecutor } from './jobs/turnExecutor';
import { EndedWork } from './jobs/endedWork';
import { SurroundingsWatch } from './jobs/surroundingsWatch';
import { Lifetime } from './lifetime';
import { readServiceInput } from './readServiceInput';
import { ReviewReader } from './review/reviewReader';
import { createStateFile, readRunningState } from './stateFile';
import type { Turn } from './store/jobStore';
import { openDatabase, readLastPort, saveLastPort } from './store/openDatabase';
import { SqlJobStore } from './store/sqlJobStore';
import { streamLogger } from './streamLogger';

const MINUTE_MS = 60_000;

/**
 * Starts the service and resolves when it is ready. `Lifetime` decides when it shuts down.
 *
 * @param program the service's own file, which it also starts as a supervisor
 */
export async function serve(options: ServeOptions, program: string): Promise<void> {
  // The service outlives the window that started it, and so the pipes for its output.
  [process.stdout, process.stderr].forEach((stream) => stream.on('error', () => undefined));
  const data = resolve(options.data ?? userFolder('data', process.env));
  const jobsFolder = join(data, 'jobs');
  await claimDataFolder(data);
  const redactor = new Redactor();
  const log = streamLogger(process.stderr, redactor);
  await makePrivateFolder(jobsFolder);
  const { stateFile = join(data, STATE_FILE) } = options;
  const isStaying = async () => (await readRunningState(stateFile)) !== undefined;
  let setAside: string | undefined;
  const database = await openDatabase(join(data, 'service.db'), {
    clock: systemClock,
    isStaying,
    onSetAside: (path) => {
      setAside = path;
      log.warn(
        `The job list was damaged and was saved as “${path}”. A new one was created. Branches and pull requests of earlier jobs aren’t affected.`,
      );
    },
  });
  const { keys, keyFile } = await readKeys(options, data);
  keys.forEach(({ key }) => redactor.add(key));
  const store = await SqlJobStore.open(database);
  const killed = new Set((await store.unfinishedTurns()).map(({ jobId }) => jobId));
  const unfinished = await recover(store, jobsFolder);
  unfinished.forEach(({ jobId }) => killed.delete(jobId));
  const pushFolder = join(data, 'push');
  await removeStalePushDirectories(pushFolder);

  const [clock, environment] = [systemClock, process.env];
  const git = new Git(environment);
  const repository = new UserRepository(git);
  const choice = new AgentSelector(environment, findDemoAgent(program));
  const agents = agentSource(choice, [process.execPath, program, '--supervise'], environment);
  const tokens = new TokenStore((token) => redactor.add(token));
  const publisher = new ForgePublisher({ git, tokens, pushFolder, environment, log, clock });
  const hostOf = (folder: string, signal: AbortSignal) => publisher.hostOf(folder, signal);
  const projects = new ProjectRegistry({ store, repository, agents, hostOf });
  const registered = await registerAll(projects, options);

  const check: ResultCheck = async (range, signal) => {
    const { checkResult } = await import('../checks/process/runCheck');
    return checkResult({ program, environment, log }, range, signal);
  };
  const locks = new JobLocks();
  const { turnTimeoutMs, concurrency } = options;
  const workParts = { store, agents, publisher, git, repository, check, jobsFolder, turnTimeoutMs, log };
  const work = new TurnExecutor(workParts);
  const handover = new TokenHandover(clock, (host) => tokens.get(host) !== undefined);
  const mayPublish = async ({ jobId }: Pick<Turn, 'jobId'>, signal: AbortSignal) => {
    const project = await store.project((await store.job(jobId))?.projectId ?? '');
    // Only editors pass the keys, and editors hand over tokens.
    if (options.keysFromStdin && project?.settings.publish === true) {
      const host = hostOf(project.folder, signal).then((found) => found?.host);
      await handover.wait(project.id, host, signal);
    }
  };
  const runner = new TurnRunner({ store, work, locks, log, clock, concurrency, mayPublish });
  const archive = new JobArchive({ store, git, repository, locks, jobsFolder, clock, log });
  const merges = { git, repository, locks };
  const unsaved = new EndedWork({ ...merges, store, jobsFolder, publisher });
  // Others have left nothing, or their repository is gone.
  killed.forEach((jobId) => void unsaved.recount(jobId).catch(() => undefined));
  const watch = new SurroundingsWatch({ ...merges, store, jobsFolder, publisher, log });
  const reviews = new ReviewReader({ git, store, jobsFolder });

  const ending = new AbortController();
  const life: { time?: Lifetime } = {};
  const listener = await listen(options.port, await readLastPort(database), (port) => {
    // Start these before the first request, so that a message that arrives immediately is the newer one.
    unfinished.forEach((turn) => runner.start(turn));
    const reviewLink = (jobId: string) => `http://127.0.0.1:${port}${reviewPath(jobId)}`;
    const perHour = options.rateLimit;
    const jobs = new JobOperations({ store, runner, archive, repository, perHour, reviewLink, watch });
    if (options.onFinished !== undefined) {
      onFinished(store, { command: options.onFinished, log, describe: (jobId) => jobs.retrieveJob(jobId) });
    }
    const local = {
      projects,
      tokens,
      settingsCame: (projectId: string) => handover.settingsCame(projectId),
      agents: () => listAgents(choice, environment),
      storage: () => storageReport(store, jobsFolder),
      shutDown: (when: 'now' | 'idle') => life.time?.shutDown(when),
    };
    const access = new ReviewAccess(clock);
    const accessParts = { keys: new KeyRing(keys), access, reviewLink };
    return createApp({
      ...accessParts,
      store,
      jobs,
      local,
      reviews,
      merges: { ...merges, onMoved: () => watch.lookAgain() },
      unsaved,
      log,
      ending: ending.signal,
    });
  });
  await saveLastPort(database, listener.port);
  const announcement = await createStateFile(stateFile, options.release, listener.port);
  const endHousekeeping = scheduleArchiveCleanup(archive, options.keepDays, log);
  life.time = new Lifetime({
    activity: () => ({ turns: runner.size, held: runner.held, ...listener.activity() }),
    idleMs: options.idleMinutes * MINUTE_MS,
    log,
    end: async () => {
      // Stop accepting requests and stop the agents; only then remove the state file.
      ending.abort();
      endHousekeeping();
      await Promise.all([announcement.ends(), listener.close(), runner.stop(), watch.close(), publisher.close()]);
      // Wait for work such as a merge into the user's repository, which must not be left half done.
      await locks.untilFree();
      await announcement.forget();
      await store.close();
    },
  });
  const ready = { ready: true, port: listener.port, projects: registered, keyFile, setAside };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

/** Returns the keys from standard input, otherwise the user's key, which is kept in a file. */
async function readKeys({ keysFromStdin }: ServeOptions, data: string): Promise<ServiceInput & { keyFile?: string }> {
  if (keysFromStdin) {
    return readServiceInput(process.stdin);
  }
  const keyFile = join(data, KEY_FILE);
  return { keys: [{ key: await readOrCreateKey(keyFile) }], keyFile };
}

async function registerAll(projects: ProjectRegistry, options: ServeOptions) {
  const registered: ({ projectId: string; name: string; folder: string } & Partial<ProjectSettings>)[] = [];
  for (const folder of options.repo ?? []) {
    const project = await projects.identify(resolve(folder));
    // Settings that are not given stay unchanged: a restart must not forget which variables the agent needs.
    const known = (await projects.store.project(project.id))?.settings ?? projectSettingsSchema.parse({});
    const { settings } = await projects.store.putProject({ ...project, settings: { ...known, ...options.settings } });
    const { agent, mayRunCommands, confine, allowedHosts, writableFolders, publish, variables } = settings;
    // Show the person who starts the service which settings are in effect, above all whether commands are allowed.
    const how = { agent, mayRunCommands, confine, allowedHosts, writableFolders, publish, variables };
    registered.push({ projectId: project.id, name: project.name, folder: project.folder, ...how });
  }
  return registered;
}

async function listAgents(choice: AgentSelector, environment: NodeJS.ProcessEnv): Promise<AgentsAnswer> {
  const [agents, found] = await Promise.all([choice.list(), findSandbox(environment)]);
  const sandbox = typeof found === 'string' ? null : { why: toEnglish(found), coded: found };
  const all = [...agents, ...choice.listDemo()];
  return { agents: all, chosen: agents.find(({ path }) => path !== null)?.name ?? null, sandbox };
}
