import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { allowedEnvironment, userEnvironment } from './environment';
import { GitError, NOT_FOUND, NOT_TRUSTED, toGitError } from './errors';
import { findExecutable } from './programPaths';
import { streamProgram } from './runProgram';
import { type GitPlace, SAFE_ENVIRONMENT, safeCommand, safeDirectories } from './safeCommand';

export { GitError, NOT_TRUSTED } from './errors';
export type { GitPlace } from './safeCommand';

export interface GitOptions {
  /** Written to the command's standard input. */
  input?: string;
  /** Added to the command's environment. */
  environment?: Record<string, string>;
  /** The most that the command may print, in bytes; beyond it the command is stopped and the call fails. */
  maxBytes?: number;
  /** How long it may take, in milliseconds. */
  timeoutMs?: number;
  /** Input and output have one character per byte: for paths, which need not be UTF-8. */
  bytes?: true;
}

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Runs the user's git by argument array, without a shell, hooks, file system monitor or transport but the local one. */
export class Git {
  /** The path of a git that was found and is new enough. */
  private found: Promise<string> | undefined;
  /** The user's own `safe.directory`, once a command has failed without it. */
  private trusted: readonly string[] = [];
  /** When the next command may be started. */
  private turn: Promise<void> = Promise.resolve();

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

  /**
   * What a command prints, as it prints it. A reader that stops has it killed, and so has the signal, with whose reason it
   * then throws; throws GitError when the command fails. It is gone when the iteration has ended.
   */
  async *stream(place: GitPlace, args: readonly string[], signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const program = await this.usable();
    if (this.trusted.length === 0) {
      // Learns whether the repository is trusted, which can't be found out in the midst of an output.
      await this.run(place, ['rev-parse', '--git-dir']);
    }
    const { args: all, env } = safeCommand(this.environment, this.trusted, place, args);
    await this.nextTurn();
    yield* streamProgram({ program, args: all, folder: place.folder, environment: env, signal });
  }

  /** Which repositories of other users the user's own configuration (global, system) trusts. Reading runs nothing. */
  async safeDirectories(): Promise<string[]> {
    return safeDirectories(this.environment, this.program);
  }

  private runTrusting(
    trusted: readonly string[],
    place: GitPlace,
    args: readonly string[],
    options: GitOptions,
  ): Promise<string> {
    const command = safeCommand(this.environment, trusted, place, args);
    return this.execute(place.folder, command.args, { ...command.env, ...options.environment }, options);
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

  /** To start a process takes a thread some milliseconds: of several at once, each is started in a turn of its own. */
  private nextTurn(): Promise<void> {
    this.turn = this.turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.turn;
  }

  private async execute(cwd: string, args: string[], env: NodeJS.ProcessEnv, options: GitOptions): Promise<string> {
    const program = await this.usable();
    await this.nextTurn();
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
    const encoding: BufferEncoding = options.bytes === true ? 'latin1' : 'utf8';
    return new Promise((resolve, reject) => {
      const settings = {
        cwd,
        env,
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        killSignal: 'SIGKILL' as const,
        maxBuffer: options.maxBytes ?? MAX_BYTES,
        windowsHide: true,
        encoding,
      };
      const child = execFile(program, args, settings, (error, stdout, stderr) => {
        if (error) {
          reject(toGitError(error, stdout, Buffer.from(stderr, encoding).toString(), cwd));
        } else {
          resolve(stdout);
        }
      });
      // A command that ends without reading its input is no failure of its own.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(options.input ?? '', encoding);
    });
  }
}

/** A repository that is read by a git that runs none of its programs. */
export interface ChangeRepository {
  git: Git;
  place: GitPlace;
  signal: AbortSignal;
}

/** With GIT_CONFIG_COUNT (2.31) and GIT_CONFIG_GLOBAL (2.32), without which a repository's programs can't be kept off. */
const LEAST = [2, 32] as const;

/**
 * @param printed what `git version` says
 * @returns words for the user; undefined when it is new enough, or says nothing that can be understood
 */
export function whyTooOld(printed: string): string | undefined {
  const [, version = '', major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
  const isOld = Number(major) < LEAST[0] || (Number(major) === LEAST[0] && Number(minor) < LEAST[1]);
  return isOld
    ? `Your git is too old: it is ${version}, and ${LEAST.join('.')} is the least. Install a newer git and make sure it comes first on the PATH.`
    : undefined;
}

/**
 * True for a name of a branch that git takes (git-check-ref-format) and that no command of git can read as an option, as a
 * range or as another notation: what a service names is not trusted.
 */
export function isBranchName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- no branch has these
  const odd = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\/\.|\.lock(\/|$)|^@$|^HEAD$/;
  return name.length > 0 && name.length <= 250 && !odd.test(name) && !name.startsWith('refs/');
}
