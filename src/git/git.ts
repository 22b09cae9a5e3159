import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { allowedEnvironment, userConfiguration, userEnvironment } from './environment';
import { bothEnds, GitError, NOT_FOUND, NOT_TRUSTED, toGitError } from './errors';
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
  /** Maximum output in bytes; beyond it, the command is killed and the call fails. */
  maxBytes?: number;
  /** Timeout in milliseconds. */
  timeoutMs?: number;
  /** Input and output use one character per byte: for paths, which need not be UTF-8. */
  bytes?: true;
}

/** Runs git in one place. Throws GitError. */
export type RunGit = (args: readonly string[], options?: GitOptions) => Promise<string>;

/** How long a command may take, in milliseconds. */
export const GIT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum output of `git config`: it is processed at once, and a repository can contain any number of settings. */
const MAX_CONFIG_BYTES = 256 * 1024;

/** The settings of the user's effective configuration that are asked for. */
const CONFIGURED = [
  'user.name',
  'user.email',
  'user.signingKey',
  'commit.gpgSign',
  'gpg.format',
  'core.attributesFile',
  'core.excludesFile',
  'core.autocrlf',
  'core.eol',
] as const;
type Configured = (typeof CONFIGURED)[number];
/** How long they are remembered, in milliseconds. */
const CONFIGURED_MS = 1_000;

/**
 * Runs the user's git with an argument array, without a shell, hooks, file system monitor, or any transport but the
 * local one.
 */
export class Git {
  /** The path of git, once it was found and its version is supported. */
  private found: Promise<string> | undefined;
  /** The user's own `safe.directory`; read after a command has failed without it. */
  private trusted: readonly string[] = [];
  /** Folders in which a command has run without it. */
  private readonly accepted = new Set<string>();
  /** What was read lately of the user's configuration in a folder. */
  private readonly configurations = new Map<
    string,
    { at: number; settings: Promise<ReadonlyMap<string, string> | undefined> }
  >();
  /** Resolves when the next command may start. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly program = 'git',
  ) {}

  /** @returns standard output; throws GitError when the command fails, or times out after two minutes by default */
  async run(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { trusted } = this;
    try {
      return await this.runTrusting(trusted, place, args, options);
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== NOT_TRUSTED) {
        throw error;
      }
      // Safe to retry: git checks this before it does anything in a repository.
      this.trusted = await this.safeDirectories();
      if (this.trusted.join('\0') === trusted.join('\0')) {
        throw error;
      }
      return this.runTrusting(this.trusted, place, args, options);
    }
  }

  /**
   * Streams a command's output; the input is written to its standard input. The command is killed when the reader stops or the signal aborts; the latter throws the
   * signal's reason. Throws GitError when the command fails. The process has exited when the iteration ends.
   */
  async *stream(
    place: GitPlace,
    args: readonly string[],
    signal: AbortSignal,
    input?: string,
  ): AsyncGenerator<Uint8Array, void> {
    const program = await this.resolveProgram();
    // Git trusts a git directory that is named.
    if (place.gitDir === undefined && this.trusted.length === 0 && !this.accepted.has(place.folder)) {
      // Finds out whether the repository is trusted, because a retry is not possible once output has been read.
      await this.run(place, ['rev-parse', '--git-dir']);
      this.accepted.add(place.folder);
    }
    const { args: all, env } = safeCommand(this.environment, this.trusted, place, args);
    await this.nextTurn();
    yield* streamProgram({ program, args: all, folder: place.folder, environment: env, input, signal });
  }

  /** Repositories of other users that the user's own configuration (global, system) trusts. Reading runs no program. */
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
    const maxBytes = args[0] === 'config' ? MAX_CONFIG_BYTES : MAX_BYTES;
    return this.execute(
      place.folder,
      command.args,
      { ...command.env, ...options.environment },
      { maxBytes, ...options },
    );
  }

  /**
   * Returns a value of the user's effective configuration (global, system, repository), or undefined when there is
   * none. Reading runs no program.
   */
  async configured(folder: string, key: Configured): Promise<string | undefined> {
    const value = (await this.configuration(folder))?.get(key.toLowerCase())?.trim();
    return value === '' ? undefined : value;
  }

  /** Read at most once a second: the steps of a publication ask for one setting each. Undefined if it can't be read. */
  private async configuration(folder: string): Promise<ReadonlyMap<string, string> | undefined> {
    const known = this.configurations.get(folder);
    if (known !== undefined && performance.now() - known.at < CONFIGURED_MS) {
      return known.settings;
    }
    const environment = { ...userEnvironment(this.environment), GIT_OPTIONAL_LOCKS: '0' };
    const names = `^(${CONFIGURED.map((key) => key.toLowerCase().replaceAll('.', '\\.')).join('|')})$`;
    const args = ['config', '--null', '--get-regexp', names];
    const settings = this.execute(folder, args, environment, { maxBytes: MAX_CONFIG_BYTES }).then(
      (printed) => new Map(listedSettings(printed)),
      // Exit code 1: none is set (git-config(1)).
      (error: unknown) => (error instanceof GitError && error.exitCode === 1 ? new Map<string, string>() : undefined),
    );
    this.configurations.set(folder, { at: performance.now(), settings });
    setTimeout(() => this.configurations.delete(folder), CONFIGURED_MS).unref();
    return settings;
  }

  /**
   * Returns how the user signs their commits, as settings for the command line and an environment; undefined if they
   * don't, and don't have to. The programs are those of the user's own configuration (global, system), never of the repository. Throws
   * GitError.
   *
   * @param isWanted whether the repository's rules want signatures
   */
  async signing(
    folder: string,
    isWanted = false,
  ): Promise<{ settings: string[]; environment: Record<string, string> } | undefined> {
    if (!isWanted && !/^(true|yes|on|1)$/i.test((await this.configured(folder, 'commit.gpgSign')) ?? '')) {
      return undefined;
    }
    const all = await userConfiguration(this.environment, folder, this.program);
    const own = (name: string) => all.findLast(([each]) => each === name)?.[1];
    const settings = {
      'gpg.format': (await this.configured(folder, 'gpg.format')) ?? 'openpgp',
      'user.signingKey': await this.configured(folder, 'user.signingKey'),
      'gpg.openpgp.program': own('gpg.openpgp.program') ?? own('gpg.program') ?? 'gpg',
      'gpg.x509.program': own('gpg.x509.program') ?? 'gpgsm',
      'gpg.ssh.program': own('gpg.ssh.program') ?? 'ssh-keygen',
      'gpg.ssh.defaultKeyCommand': own('gpg.ssh.defaultkeycommand'),
    };
    return {
      settings: Object.entries(settings).flatMap(([name, value]) =>
        value === undefined ? [] : ['-c', `${name}=${value}`],
      ),
      environment: userEnvironment(this.environment),
    };
  }

  /** Returns the user's file with attributes for all repositories (gitattributes(5)), which other commands don't read. */
  async attributesFile(folder: string): Promise<string> {
    return (await this.configured(folder, 'core.attributesFile')) ?? this.defaultFile('attributes');
  }

  /**
   * Returns the path of the user's file with what to ignore in all repositories (gitignore(5)), which other commands
   * don't read; empty for none. Throws GitError when the configuration can't be read: what is ignored may be secret.
   *
   * @param folder the top folder of the user's repository, to which git resolves a relative path
   */
  async excludesFile(folder: string): Promise<string> {
    if ((await this.configuration(folder))?.has('core.excludesfile') === false) {
      return resolve(folder, this.defaultFile('ignore'));
    }
    const args = ['config', '--null', '--type=path', '--get', 'core.excludesFile'];
    const environment = { ...userEnvironment(this.environment), GIT_OPTIONAL_LOCKS: '0' };
    const path = await this.execute(folder, args, environment, { maxBytes: MAX_CONFIG_BYTES }).then(
      (printed) => printed.slice(0, -'\0'.length),
      (error: unknown) => {
        // Exit code 1: it isn't set (git-config(1)). ENOENT: the repository is gone.
        if (error instanceof GitError && (error.exitCode === 1 || error.code === 'ENOENT')) {
          return this.defaultFile('ignore');
        }
        throw error;
      },
    );
    return path && resolve(folder, path);
  }

  /** The file that git reads if the configuration names no other. */
  private defaultFile(name: string): string {
    const { XDG_CONFIG_HOME: settings = '', HOME: home = homedir() } = this.environment;
    // Empty counts as unset.
    return join(settings === '' ? join(home, '.config') : settings, 'git', name);
  }

  /** Throws GitError with a message for the user when git is missing, or too old for the options that keep it safe. */
  async check(): Promise<void> {
    await this.resolveProgram();
  }

  /** The version and the path of git, for a message. */
  async description(): Promise<string> {
    const program = await this.resolveProgram();
    return `${(await this.run({ folder: dirname(program) }, ['version'])).trim()}, ${program}`;
  }

  private async resolveProgram(): Promise<string> {
    this.found ??= this.find();
    try {
      return await this.found;
    } catch (error) {
      // Retry next time: git may be installed without restarting the service.
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
    const why = getVersionProblem(await this.start(path, dirname(path), ['version'], environment, {}));
    if (why !== undefined) {
      throw new GitError(why, undefined, undefined);
    }
    return path;
  }

  /**
   * Spawning a process blocks the thread for some milliseconds, so concurrent commands start in separate turns of the
   * event loop.
   */
  private nextTurn(): Promise<void> {
    this.turn = this.turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.turn;
  }

  private async execute(cwd: string, args: string[], env: NodeJS.ProcessEnv, options: GitOptions): Promise<string> {
    const program = await this.resolveProgram();
    await this.nextTurn();
    try {
      return await this.start(program, cwd, args, env, options);
    } catch (error) {
      if (error instanceof GitError && error.code === 'ENOENT') {
        // An update may have moved git: search for it again next time.
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
        timeout: options.timeoutMs ?? GIT_MS,
        killSignal: 'SIGKILL' as const,
        maxBuffer: options.maxBytes ?? MAX_BYTES,
        windowsHide: true,
        encoding,
      };
      const child = execFile(program, args, settings, (error, stdout, stderr) => {
        if (error) {
          reject(toGitError(error, stdout, Buffer.from(bothEnds(stderr), encoding).toString(), cwd));
        } else {
          resolve(stdout);
        }
      });
      // Exiting without reading its input is not a failure of the command.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(options.input ?? '', encoding);
    });
  }
}

/** Parses what `git config --null --get-regexp` prints: name LF value NUL. A name without a value has an empty one. */
export function listedSettings(printed: string): [name: string, value: string][] {
  const entries = printed.split('\0').slice(0, -1);
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

/** A repository that is read without running any of its programs. */
export interface ChangeRepository {
  git: Git;
  place: GitPlace;
  signal: AbortSignal;
}

/** For `merge-tree --write-tree` (2.38); disabling a repository’s programs needs GIT_CONFIG_COUNT (2.31) and GIT_CONFIG_GLOBAL (2.32). */
const MIN_VERSION = [2, 38] as const;

/**
 * @param printed the output of `git version`
 * @returns a message for the user; undefined when the version is new enough or can't be parsed
 */
export function getVersionProblem(printed: string): string | undefined {
  const [, version = '', major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
  const isOld = Number(major) < MIN_VERSION[0] || (Number(major) === MIN_VERSION[0] && Number(minor) < MIN_VERSION[1]);
  return isOld
    ? `Your git is too old: it is ${version}, and ${MIN_VERSION.join('.')} is the least. Install a newer git and make sure it comes first on the PATH.`
    : undefined;
}

/**
 * The branch in what `git symbolic-ref HEAD` prints; empty if there is none. Git’s own short form is `heads/v2` if a tag
 * has the name, too.
 */
export function branchOf(ref: string): string {
  return /^refs\/heads\/(.+)/.exec(ref)?.[1] ?? '';
}

/**
 * True for a branch name that git accepts (git-check-ref-format) and that no git command can parse as an option, a
 * range or another notation: names that come from a service are untrusted.
 */
export function isBranchName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- no branch has these
  const odd = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\/\.|\.lock(\/|$)|^@$|^HEAD$/;
  return name.length > 0 && name.length <= 250 && !odd.test(name) && !name.startsWith('refs/');
}
