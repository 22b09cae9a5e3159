import { type Settings, settingsForPush, userConfiguration, userEnvironment } from '../../git/environment';
import { GitError } from '../../git/errors';
import { type ProgramResult, runProgram } from '../../git/runProgram';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';

/** Disables what a command would run on its own. These settings take precedence over the configuration files. */
const SWITCHES = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  'gc.auto=0',
  'maintenance.auto=false',
  // An empty value clears the list.
  'push.pushOption=',
  'credential.interactive=false',
  // By default git follows a host's redirect to another host, and asks the credential helpers for that one.
  'http.followRedirects=false',
  // A connection without traffic for a minute is dead, even if the service that watched it is gone.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
];

export interface UserGitOptions {
  /** For this command only. Passed through the environment, so that no secret appears on a command line. */
  settings?: Settings;
  environment?: Record<string, string>;
  input?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs git with the user's own credentials, ssh and proxies, but only in a git directory of the service: the
 * repository's configuration does not apply.
 */
export class UserGit {
  private constructor(
    private readonly environment: NodeJS.ProcessEnv,
    readonly settings: Settings,
  ) {}

  /** @param folder where the user works, because their configuration may depend on it. Throws TurnFailure. */
  static async in(folder: string, environment: NodeJS.ProcessEnv): Promise<UserGit> {
    try {
      return new UserGit(environment, await userConfiguration(environment, folder));
    } catch (error) {
      throw error instanceof GitError ? new TurnFailure(coded('plain', { text: error.message })) : error;
    }
  }

  /** @param directory a git directory that is not the repository's. Rejects with the signal's reason. */
  run(directory: string, args: readonly string[], options: UserGitOptions): Promise<ProgramResult> {
    const switches = SWITCHES.flatMap((setting) => ['-c', setting]);
    const settings = [...settingsForPush(this.settings), ...(options.settings ?? [])];
    const environment: Record<string, string> = {
      ...userEnvironment(this.environment),
      // The contents of these files are in the settings, as they apply to the user's own folder.
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: String(settings.length),
      GIT_ALLOW_PROTOCOL: 'https:ssh',
      ...options.environment,
    };
    settings.forEach(([name, value], index) => {
      environment[`GIT_CONFIG_KEY_${index}`] = name;
      environment[`GIT_CONFIG_VALUE_${index}`] = value;
    });
    const { input = '', timeoutMs, signal } = options;
    const all = [...switches, '--no-pager', `--git-dir=${directory}`, ...args];
    return runProgram({ program: 'git', args: all, folder: directory, environment, input, timeoutMs, signal });
  }
}
