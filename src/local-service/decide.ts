import { resolve } from 'node:path';
import { LocalServiceClient, type LocalTarget } from '../client/localServiceClient';
import { Transport } from '../client/transport';
import { ServiceError } from '../protocol/errors';
import { DATA } from './commandLine';
import { userFolder } from './dataFolder';
import { findService } from './findService';
import { flag, readOptions, UsageError } from './options';

/**
 * `merge ID` and `close ID`: decides about a job of the service that is running with the data folder. Returns the exit
 * code. Throws UsageError.
 */
export async function decide(decision: 'merge' | 'close', args: string[], called: string): Promise<number> {
  const { values, positionals } = readOptions({ ...DATA, help: flag('') }, args, true);
  const [jobId, ...rest] = positionals;
  const usage = `Usage: ${called} ${decision} ID [--data DIR]`;
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (jobId === undefined || rest.length > 0) {
    throw new UsageError(usage);
  }
  const transport = new Transport();
  try {
    const client = new LocalServiceClient(transport);
    const data = resolve(values.data ?? userFolder('data', process.env));
    const target = await findService(data);
    if (target === undefined) {
      throw new UsageError(`No service is running with the data folder “${data}”. Start it first, or use --data.`);
    }
    const { projectId } = await client.findJob(target, jobId);
    if (decision === 'merge') {
      process.stdout.write(`${await merge(client, target, projectId, jobId)}\n`);
    } else {
      await client.decide(target, projectId, jobId, 'close');
      process.stdout.write('Closed without merging. The branch is kept.\n');
    }
    return 0;
  } catch (error) {
    if (error instanceof ServiceError && error.detail !== '') {
      process.stderr.write(`${error.detail}\n`);
      return 1;
    }
    throw error;
  } finally {
    await transport.dispose();
  }
}

async function merge(client: LocalServiceClient, target: LocalTarget, projectId: string, jobId: string) {
  const { text, coded, commit, into, head } = await client.mergePreview(target, projectId, jobId);
  if (coded?.code === 'holdsAlready') {
    return text;
  }
  if (into === '') {
    throw new ServiceError('rejected', { effect: 'none', detail: text });
  }
  const { branch, deleted } = await client.mergeJob(target, projectId, jobId, { commit, into, head });
  const restore = deleted === null ? '' : `\n  git branch ${deleted.branch} ${deleted.commit}`;
  return `Merged into ${branch}. To undo this while ${branch} is checked out:\n  git reset --keep ${head}${restore}`;
}
