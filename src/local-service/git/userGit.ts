import { type Settings, settingsForPush, userConfiguration, userEnvironment } from '../../git/environment';
import { GitError } from '../../git/errors';
import { type ProgramEnd, runProgram } from '../../git/runProgram';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';

/** What a command runs that nobody asked for is off; each outranks the configuration files. */
const SWITCHES = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  'gc.auto=0',
  'maintenance.auto=false',
  // Empty clears the list.
  'push.pushOption=',
  'credential.interactive=false',
  // A connection on which nothing moves for a minute is dead, also when the service that watched it is.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
];

export interface UserGitOptions {
  /** For this command alone, by the environment, so that no secret stands on a command line. */
  settings?: Settings;
  environment?: Record<string, string>;
  input?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Git with the user's own credentials, ssh and proxies, which works in a git directory of ours only: the repository's
 * configuration has no say in it.
 */
export class UserGit {
  private constructor(
    private readonly environment: NodeJS.ProcessEnv,
    readonly settings: Settings,
  ) {}

  /** @param folder where the user works: their configuration may hang on it. Throws TurnFailure. */
  static async in(folder: string, environment: NodeJS.ProcessEnv): Promise<UserGit> {
    try {
      return new UserGit(environment, await userConfiguration(environment, folder));
    } catch (error) {
      throw error instanceof GitError ? new TurnFailure(coded('plain', { text: error.message })) : error;
    }
  }

  /** @param directory a git directory that is not the repository's. Rejects with the signal's reason. */
  run(directory: string, args: readonly string[], options: UserGitOptions): Promise<ProgramEnd> {
    const switches = SWITCHES.flatMap((setting) => ['-c', setting]);
    const settings = [...settingsForPush(this.settings), ...(options.settings ?? [])];
    const environment: Record<string, string> = {
      ...userEnvironment(this.environment),
      // What stands in these files is in the settings, as it applies to the user's own folder.
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
