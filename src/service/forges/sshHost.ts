import { runProgram } from '../../git/runProgram';
import { userEnvironment } from '../../git/userEnvironment';
import type { RemotePlace } from './remote';
import { realName } from '../../git/remoteAddress';

const TIMEOUT_MS = 10_000;

/**
 * The remote with the host's real name, where its address has one that only the user's ssh configuration knows (`Host
 * github-work`), as people have them who use two accounts. Connects to nobody. Rejects with the signal's reason.
 */
export async function withRealHost<T extends RemotePlace>(
  remote: T,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<T> {
  const { address, pushUrl } = remote;
  if (address === undefined || 'folder' in address || /^https?:/i.test(pushUrl) || address.host.includes('.')) {
    return remote;
  }
  const host = await configuredName(address.host, environment, signal);
  return host === undefined ? remote : { ...remote, address: { ...address, host, origin: `https://${host}` } };
}

async function configuredName(name: string, environment: NodeJS.ProcessEnv, signal: AbortSignal) {
  try {
    const own = userEnvironment(environment);
    const run = { program: 'ssh', args: ['-G', '--', name], folder: '/', environment: own, timeoutMs: TIMEOUT_MS };
    const end = await runProgram({ ...run, signal });
    const found = /^hostname (\S+)$/im.exec(end.stdout)?.[1]?.toLowerCase() ?? '';
    return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(found) && found !== name ? realName(found) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error) {
      // There is no ssh; the push will say so.
      return undefined;
    }
    throw error;
  }
}
