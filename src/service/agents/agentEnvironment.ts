import { allowedEnvironment } from '../../git/allowedEnvironment';
import { isWithheldVariable } from '../../shared/protocol/localService';
import { JOB_VARIABLE } from './endJobProcesses';

/** The whole environment of an agent: what each program sees, the variables named for it, and the mark of its job. */
export function agentEnvironment(
  environment: NodeJS.ProcessEnv,
  variables: readonly string[],
  jobId: string,
): Record<string, string> {
  const seen = allowedEnvironment(environment);
  for (const name of variables) {
    const value = environment[name];
    if (value !== undefined && !isWithheldVariable(name) && name.toUpperCase() !== 'PATH') {
      seen[name] = value;
    }
  }
  return { ...seen, [JOB_VARIABLE]: jobId };
}
