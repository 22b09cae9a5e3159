import { allowedEnvironment } from '../../git/allowedEnvironment';
import { JOB_VARIABLE } from './endJobProcesses';

/** What no agent sees, whoever names it: the service's own, the editor's, git's, and what steers Node. */
const NEVER = /^(DOCS_AGENT_|VSCODE_|ELECTRON_|GIT_|NODE_OPTIONS$)/i;

/** The whole environment of an agent: what each program sees, the variables named for it, and the mark of its job. */
export function agentEnvironment(
  environment: NodeJS.ProcessEnv,
  variables: readonly string[],
  jobId: string,
): Record<string, string> {
  const seen = allowedEnvironment(environment);
  for (const name of variables) {
    const value = environment[name];
    if (value !== undefined && !NEVER.test(name)) {
      seen[name] = value;
    }
  }
  return { ...seen, [JOB_VARIABLE]: jobId };
}
