import { request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { jobEventSchema, mergedSchema, mergePreviewSchema } from '../protocol/localService';
import { type PathParameters, pathOf, type RouteId, ROUTES } from '../protocol/routes';
import { DATA } from './commandLine';
import { KEY_FILE, STATE_FILE, userDataFolder } from './dataFolder';
import { readOptions, UsageError } from './options';
import { readRunningState } from './stateFile';

/** Why the service refuses, in its own words. */
class Refusal extends Error {}

/**
 * `merge ID` and `close ID`: decides about a job of the service that is running with the data folder. Returns the exit
 * code. Throws UsageError.
 */
export async function decide(decision: 'merge' | 'close', args: string[], called: string): Promise<number> {
  const { values, positionals } = readOptions(DATA, args, true);
  const [jobId, ...rest] = positionals;
  if (jobId === undefined || rest.length > 0) {
    throw new UsageError(`Usage: ${called} ${decision} ID [--data DIR]`);
  }
  const service = await findService(resolve(values.data ?? userDataFolder(process.env)));
  try {
    const { projectId } = jobEventSchema.parse(await service('findJob', { jobId }));
    const said = await (decision === 'merge' ? merge : close)(service, { projectId, jobId });
    process.stdout.write(`${said}\n`);
    return 0;
  } catch (error) {
    if (error instanceof Refusal) {
      process.stderr.write(`${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

/** Sends a request to the service, and returns the body of the answer. Throws Refusal. */
type Service = <Id extends RouteId>(id: Id, parameters: PathParameters<Id>, body?: object) => Promise<unknown>;

type JobName = PathParameters<'mergeJob'>;

async function merge(service: Service, job: JobName): Promise<string> {
  const { text, commit, into, head } = mergePreviewSchema.parse(await service('previewMerge', job));
  if (into === '') {
    throw new Refusal(text);
  }
  const { branch, deleted } = mergedSchema.parse(await service('mergeJob', job, { commit, into, head }));
  const restore = deleted === null ? '' : `\n  git branch ${deleted.branch} ${deleted.commit}`;
  return `Merged into ${branch}. To undo this while ${branch} is checked out:\n  git reset --keep ${head}${restore}`;
}

async function close(service: Service, job: JobName): Promise<string> {
  await service('closeJob', job);
  return 'Closed without merging. The branch is kept.';
}

async function findService(data: string): Promise<Service> {
  const state = await readRunningState(join(data, STATE_FILE));
  if (state === undefined) {
    throw new UsageError(`No service is running with the data folder “${data}”. Start it first, or use --data.`);
  }
  const key = (await readFile(join(data, KEY_FILE), 'utf8').catch(() => '')).trim();
  if (key === '') {
    throw new UsageError('This service was started by VS Code. Decide about its jobs there.');
  }
  return (id, parameters, body) =>
    new Promise((done, failed) => {
      const [method, path] = [ROUTES[id].method.toUpperCase(), pathOf(id, parameters)];
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const sent = request({ host: '127.0.0.1', port: state.port, method, path, headers }, (response) => {
        json(response).then((answer) => {
          if ((response.statusCode ?? 0) >= 400) {
            failed(new Refusal((answer as { error: string }).error));
          } else {
            done(answer);
          }
        }, failed);
      });
      sent.on('error', failed);
      sent.end(body && JSON.stringify(body));
    });
}
