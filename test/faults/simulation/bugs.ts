import type { RecordedEvent } from '../../../src/jobs/events';
import type { JobApi, ServiceConnection } from '../../../src/jobs/ports';
import { ServiceError } from '../../../src/protocol/errors';
import type { Bug } from './simulation';

/** Known bugs, each with what the simulation must report about it. */
export const BUGS: Record<string, { bug: () => Bug; shows: RegExp }> = {
  'POST before the intent is on disk': {
    bug: () => ({
      files: (files, life) => ({
        ...files,
        write: async (key, stamped) => {
          if (stamped.event.type === 'send') {
            life.after(200, () => void files.write(key, stamped).catch(() => undefined));
          } else {
            await files.write(key, stamped);
          }
        },
      }),
    }),
    shows: /before it was on disk/,
  },
  'a claim that is not exclusive': {
    bug: () => ({
      files: (files) => ({
        ...files,
        claim: async (key, name) => (await files.claim(key, name)) || name.startsWith('claim-'),
      }),
    }),
    shows: /once too often/,
  },
  'a prompt that may have been received is resent automatically': {
    bug: () => ({
      engine: ({ store }) => {
        const record = store.record.bind(store);
        store.record = (key, event) =>
          record(key, event.type === 'unconfirmed' ? { ...event, type: 'notSent' } : event);
      },
    }),
    shows: /once too often/,
  },
  'a reset connection counts as not sent': { bug: () => ({ api: forgetful }), shows: /once too often/ },
  'the outcome is on disk before the job': {
    bug: () => ({
      files: (files, life) => ({
        ...files,
        write: async (key, stamped) => {
          const { event } = stamped;
          if (event.type === 'created') {
            const { at, promptId: send } = event;
            await files.write(key, { stamp: `${stamped.stamp}0`, event: { type: 'discarded', at, promptId: send } });
            await life.pass(30);
          }
          await files.write(key, stamped);
        },
      }),
    }),
    shows: /is nowhere|given up by nobody/,
  },
  'a ghost claims a notice': { bug: () => ({ ghostReaches: true }), shows: /a ghost claimed/ },
  'a notice that is not claimed': {
    bug: () => ({
      files: (files) => ({
        ...files,
        claim: async (key, name) => (await files.claim(key, name)) || name.startsWith('notice-'),
      }),
    }),
    shows: /was told \d+ times/,
  },
  'a prompt that waits for a run is read as one that does not': {
    bug: () => ({
      files: (files) => ({
        ...files,
        read: async (key, known) => (await files.read(key, known)).map(impatient),
        write: (key, stamped) => files.write(key, impatient(stamped)),
      }),
    }),
    shows: /interrupted a run/,
  },
  'who comes back is not noticed': { bug: () => ({ unnoticed: true }), shows: /not told to who came back/ },
  'every end of a run counts as a good one': {
    bug: () => ({
      api: (api) => ({
        ...api,
        retrieve: async (...asked) => {
          const job = await api.retrieve(...asked);
          return { ...job, status: job.status === 'failed' ? 'completed' : job.status };
        },
      }),
    }),
    shows: /followed a failed run/,
  },
};

function impatient<S extends RecordedEvent>(stamped: S): S {
  return { ...stamped, event: { ...stamped.event, afterRun: undefined } };
}

function forgetful(api: JobApi): JobApi {
  const forget = (error: unknown): never => {
    const reset = error instanceof ServiceError && error.code === 'ECONNRESET';
    throw reset ? new ServiceError('unreachable', { effect: 'none' }) : error;
  };
  return {
    ...api,
    open: async (location): Promise<ServiceConnection> => {
      const connection = await api.open(location);
      return {
        create: (prompt) => connection.create(prompt).catch(forget),
        message: (id, prompt) => connection.message(id, prompt).catch(forget),
      };
    },
  };
}
