import { MAX_SARIF_RESULTS } from '../../base/limits';
import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type AddedRange, checkPages } from '../../checks/checkPages';
import { toCodeQuality } from '../../checks/codeQuality';
import { DEFAULT_LIMITS } from '../../checks/ports';
import {
  type ChecksConfiguration,
  CONFIGURATION_FILE,
  NO_CONFIGURATION,
  readConfiguration,
} from '../../checks/configuration';
import { type Coverage, type Finding, subjectOf } from '../../checks/finding';
import { GitRepository } from '../../checks/repository/gitRepository';
import { CacheFile } from '../../checks/repository/cacheFile';
import { DependencyTypes } from '../../checks/repository/dependencyTypes';
import { toSarif } from '../../checks/sarif';
import { Git } from '../../git/git';
import { UsageError } from '../options';
import { userFolder } from '../dataFolder';
import { checkUsage, type CheckCommandLine, parseCheckCommandLine } from './checkCommandLine';
import { Output } from './output';

/** Exit codes of `check`. */
const NOTHING_FOUND = 0;
const FOUND = 1;
const COULD_NOT_RUN = 2;

/** The longest wait for git processes to end after a signal, in milliseconds. */
const END_MS = 50;
/** How long a check that the user stops may take to report what it has found, in milliseconds. */
const STOP_MS = 3_000;
const MAX_CONFIGURATION = 1_000_000;

/**
 * Runs the check and returns its exit code.
 *
 * @param called how users call the program, for its help
 */
export async function check(args: string[], called: string): Promise<number> {
  const ending = new AbortController();
  let output = new Output({ json: false, all: false, annotate: undefined });
  let isStopped = false;
  /** What the user asks for first. */
  const stopping = new AbortController();
  const stop = (): void => {
    if (!isStopped) {
      isStopped = true;
      output.stop();
      process.stdout.write('', () => process.exit(COULD_NOT_RUN));
    }
  };
  const end = (): void => {
    ending.abort(new Error('The check was ended.'));
    setTimeout(stop, END_MS);
  };
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, end);
  }
  process.on('SIGINT', () => {
    if (stopping.signal.aborted) {
      end();
    }
    stopping.abort();
    setTimeout(end, STOP_MS).unref();
  });
  // The reader of the output may stop reading at any time.
  process.stdout.on('error', () => process.exit(COULD_NOT_RUN));
  try {
    const commandLine = parseCheckCommandLine(args);
    if (commandLine === undefined) {
      process.stdout.write(checkUsage(called));
      return NOTHING_FOUND;
    }
    const git = new Git(process.env);
    const own = await GitRepository.open(git, resolve(commandLine.folder), ending.signal);
    output = new Output({ ...commandLine, annotate: placeInWorkspace(own.folder, process.env) });
    // Asked to stop, it has no time left, and finishes with what it has read.
    const now = (): number => (stopping.signal.aborted ? Infinity : processorTime());
    const coverage = await run(commandLine, { git, own, output, now, signal: ending.signal });
    if (stopping.signal.aborted) {
      stop();
      return COULD_NOT_RUN;
    }
    output.end(coverage);
    await writeReports(commandLine, output);
    return output.findings.length === 0 ? NOTHING_FOUND : FOUND;
  } catch (error) {
    if (ending.signal.aborted) {
      // All git processes have ended.
      stop();
    } else {
      output.error(error instanceof Error ? error.message : String(error));
    }
    return COULD_NOT_RUN;
  }
}

interface Running {
  git: Git;
  own: GitRepository;
  output: Output;
  now: () => number;
  signal: AbortSignal;
}

async function run(commandLine: CheckCommandLine, { git, own, output, now, signal }: Running): Promise<Coverage> {
  const others = await Promise.all(commandLine.code.map((folder) => GitRepository.open(git, resolve(folder), signal)));
  const configuration = await configurationOf(own);
  const ignored = new Set(configuration.ignore.map(({ name }) => name));
  const listener = {
    finding: (finding: Finding) => {
      if (!ignored.has(subjectOf(finding))) {
        output.finding(finding);
      }
    },
    progress: (done: number, total: number) => output.progress(done, total),
  };
  const repositories = [own, ...others] as const;
  const range = commandLine.range && (await rangeOf(own, commandLine.range, signal));
  const cache = commandLine.cache ? cacheOf([own, ...others]) : undefined;
  return checkPages({ repositories, configuration, limits: DEFAULT_LIMITS, listener, now, range, cache });
}

async function writeReports({ sarif, codeQuality }: CheckCommandLine, output: Output): Promise<void> {
  if (sarif !== undefined) {
    if (output.findings.length > MAX_SARIF_RESULTS) {
      output.error(`The report has only the first ${MAX_SARIF_RESULTS} findings.`);
    }
    await writeReport(sarif, toSarif(output.findings));
  }
  if (codeQuality !== undefined) {
    await writeReport(codeQuality, toCodeQuality(output.findings));
  }
}

/** Follows no symbolic link: a branch from someone else could have one of that name that leads to a file of the user. */
async function writeReport(file: string, report: object): Promise<void> {
  const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`, { flag });
}

/** Of this process, in milliseconds. That of git isn't known; nor does a busy machine count, or a laptop's sleep. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The path of a repository in the workspace of GitHub Actions, to which annotations are relative. */
function placeInWorkspace(folder: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (environment['GITHUB_ACTIONS'] !== 'true') {
    return undefined;
  }
  const path = relative(environment['GITHUB_WORKSPACE'] ?? folder, folder).replaceAll('\\', '/');
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
}

function cacheOf(repositories: readonly GitRepository[]): CacheFile {
  const folders = repositories.map(({ folder }) => folder);
  return new CacheFile(join(userFolder('cache', process.env), 'checks'), folders);
}

/** The lines that a branch added: since it left the base, if they have a common commit. */
async function rangeOf(
  repository: GitRepository,
  range: { base: string; head: string },
  signal: AbortSignal,
): Promise<AddedRange> {
  const [base, head] = await Promise.all([commitOf(repository, range.base), commitOf(repository, range.head)]);
  const paths = async (): Promise<string[]> => (await repository.tree(head)).files.map(({ path }) => path);
  const dependencies = new DependencyTypes(repository, paths, signal);
  return { base: (await repository.mergeBase(base, head)) ?? base, head, dependencies };
}

async function commitOf(repository: GitRepository, revision: string): Promise<string> {
  const commit = await repository.resolve(revision);
  if (commit === undefined) {
    throw new UsageError(`There is no commit “${revision.slice(0, 100)}”. In CI, fetch the full history.`);
  }
  return commit;
}

async function configurationOf(repository: GitRepository): Promise<ChecksConfiguration> {
  const bytes = await repository.read(CONFIGURATION_FILE, MAX_CONFIGURATION);
  return bytes === undefined ? NO_CONFIGURATION : readConfiguration(new TextDecoder().decode(bytes));
}
