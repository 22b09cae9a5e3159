import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { allowedEnvironment } from '../allowedEnvironment';
import { findExecutable } from '../findProgram';
import { whyTooOld } from './gitVersion';
import { safeDirectories, whyNotTrusted } from './safeDirectories';
import { userEnvironment } from './userEnvironment';

/** Where one git command works. Without `gitDir` git finds the repository that holds `folder`. */
export interface GitPlace {
  folder: string;
  gitDir?: string;
  workTree?: string;
  /** Added to the environment of each command there. */
  environment?: Record<string, string>;
}

export interface GitOptions {
  /** Written to the command's standard input. */
  input?: string;
  /** Added to the command's environment. */
  environment?: Record<string, string>;
  /** The most that the command may print, in bytes; beyond it the command is stopped and the call fails. */
  maxBytes?: number;
  /** How long it may take, in milliseconds. */
  timeoutMs?: number;
}

/** A git command that failed. `message` is git's own last words. */
export class GitError extends Error {
  constructor(
    message: string,
    /** The exit code; undefined when git was not found, was stopped or printed too much. */
    readonly exitCode: number | undefined,
    /** A code of the system or of Node such as ENOENT or ERR_CHILD_PROCESS_STDIO_MAXBUFFER, or NOT_TRUSTED. */
    readonly code: string | undefined,
    /** What it printed to standard output. */
    readonly output = '',
  ) {
    super(message);
    this.name = 'GitError';
  }
}

/**
 * What a repository may configure to have a program run, or to have more touched than was asked for, is switched off on
 * every command line: there it outranks each configuration file. `alternateRefsCommand` takes no empty value, so it
 * names a program that prints nothing.
 */
const SAFE_CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=true',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'diff.ignoreSubmodules=all',
  'commit.gpgsign=false',
  'protocol.ext.allow=never',
  // A folder of plain files that look like a repository is none (git-config(1), safe.bareRepository).
  'safe.bareRepository=explicit',
  // A fetch from a folder asks no server first, and asks nobody for a password.
  'fetch.bundleURI=',
  'credential.helper=',
  'core.askPass=true',
];

const SAFE_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // Overrides every `protocol.*` of the repository: a `url.*.insteadOf` cannot turn a local path into ssh or ext.
  GIT_ALLOW_PROTOCOL: 'file',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
};

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The code of a GitError for a repository that belongs to another user. */
export const NOT_TRUSTED = 'NOT_TRUSTED';
const NOT_FOUND = 'git was not found. Install git and make sure it is on the PATH.';

/** Runs the user's git by argument array, without a shell, hooks, file system monitor or transport but the local one. */
export class Git {
  /** The path of a git that was found and is new enough. */
  private found: Promise<string> | undefined;
  /** The user's own `safe.directory`, once a command has failed without it. */
  private trusted: readonly string[] = [];

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly program = 'git',
  ) {}

  /** @returns standard output; throws GitError when the command fails or takes more than two minutes */
  async run(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { trusted } = this;
    try {
      return await this.runTrusting(trusted, place, args, options);
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== NOT_TRUSTED) {
        throw error;
      }
      // It ran nothing: git asks before it does anything in a repository.
      this.trusted = await this.safeDirectories();
      if (this.trusted.join('\0') === trusted.join('\0')) {
        throw error;
      }
      return this.runTrusting(this.trusted, place, args, options);
    }
  }

  /** Which repositories of other users the user's own configuration (global, system) trusts. Reading runs nothing. */
  async safeDirectories(): Promise<string[]> {
    return safeDirectories(this.environment);
  }

  private runTrusting(
    trusted: readonly string[],
    place: GitPlace,
    args: readonly string[],
    options: GitOptions,
  ): Promise<string> {
    const settings = [...SAFE_CONFIGURATION, ...trusted.map((directory) => `safe.directory=${directory}`)];
    const all = [...settings.flatMap((setting) => ['-c', setting]), '--no-pager', '--literal-pathspecs'];
    if (place.gitDir !== undefined) {
      all.push(`--git-dir=${place.gitDir}`);
    }
    if (place.workTree !== undefined) {
      all.push(`--work-tree=${place.workTree}`);
    }
    const environment = {
      ...allowedEnvironment(this.environment),
      ...SAFE_ENVIRONMENT,
      ...place.environment,
      ...options.environment,
    };
    return this.execute(place.folder, [...all, ...args], environment, options);
  }

  /**
   * A value of the user's own configuration (global, system, repository), or undefined when there is none. Reading runs
   * nothing.
   */
  async configured(folder: string, key: string): Promise<string | undefined> {
    const environment = { ...userEnvironment(this.environment), GIT_OPTIONAL_LOCKS: '0' };
    try {
      return (await this.execute(folder, ['config', '--get', key], environment, {})).trim() || undefined;
    } catch {
      return undefined;
    }
  }

  /** Throws GitError, in words for the user, when there is no git, or one that is too old for what keeps it safe. */
  async check(): Promise<void> {
    await this.usable();
  }

  private async usable(): Promise<string> {
    this.found ??= this.find();
    try {
      return await this.found;
    } catch (error) {
      // Whoever installs it need not restart the service.
      this.found = undefined;
      throw error;
    }
  }

  private async find(): Promise<string> {
    const path = await findExecutable(this.program, this.environment);
    if (path === undefined) {
      throw new GitError(NOT_FOUND, undefined, 'ENOENT');
    }
    const environment = { ...allowedEnvironment(this.environment), ...SAFE_ENVIRONMENT };
    const why = whyTooOld(await this.start(path, dirname(path), ['version'], environment, {}));
    if (why !== undefined) {
      throw new GitError(why, undefined, undefined);
    }
    return path;
  }

  private async execute(cwd: string, args: string[], env: NodeJS.ProcessEnv, options: GitOptions): Promise<string> {
    const program = await this.usable();
    try {
      return await this.start(program, cwd, args, env, options);
    } catch (error) {
      if (error instanceof GitError && error.code === 'ENOENT') {
        // It may have been moved by an update: the next command looks for it again.
        this.found = undefined;
      }
      throw error;
    }
  }

  private start(
    program: string,
    cwd: string,
    args: string[],
    env: NodeJS.ProcessEnv,
    options: GitOptions,
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const settings = {
        cwd,
        env,
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        killSignal: 'SIGKILL' as const,
        maxBuffer: options.maxBytes ?? MAX_BYTES,
        windowsHide: true,
      };
      const child = execFile(program, args, settings, (error, stdout, stderr) => {
        if (error) {
          reject(toGitError(error, stdout, stderr, cwd));
        } else {
          resolve(stdout);
        }
      });
      // A command that ends without reading its input is no failure of its own.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(options.input ?? '');
    });
  }
}

function toGitError(
  error: Error & { code?: string | number | null },
  stdout: string,
  stderr: string,
  cwd: string,
): GitError {
  if (error.code === 'ENOENT') {
    // The system says the same of a program and of a folder that is not there.
    const missing = existsSync(cwd) ? NOT_FOUND : `There is no folder “${cwd}”.`;
    return new GitError(missing, undefined, error.code);
  }
  const distrust = whyNotTrusted(stderr, cwd);
  if (distrust !== undefined && typeof error.code === 'number') {
    return new GitError(distrust, error.code, NOT_TRUSTED, stdout);
  }
  const words = stderr.trim().split('\n').slice(-3).join(' ').trim();
  if (typeof error.code === 'number') {
    return new GitError(words || `git ended with code ${error.code}`, error.code, undefined, stdout);
  }
  const stopped = error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? 'git printed too much' : 'git took too long';
  return new GitError(words || stopped, undefined, error.code ?? undefined);
}
