import type { AgentClient } from '../../client';
import type { WireJob } from '../../shared/protocol/job';
import { ServiceError } from '../../shared/protocol/serviceError';
import type { ApiKeys } from './apiKeys';

/** The requests of {@link AgentClient} that bring text of a service into the house. */
export type Asking = Pick<AgentClient, 'createJob' | 'sendMessage' | 'retrieveJob' | 'dispose'>;

/**
 * The client behind the one door through which text of a service comes in: a key that the service repeats, in whatever
 * field or error, goes no further, so not into records, the list, notices or the clipboard.
 */
export function blottedClient(client: Asking, keys: Pick<ApiKeys, 'blotAll'>): Asking {
  const answered = async (asking: Promise<WireJob>): Promise<WireJob> => {
    try {
      return keys.blotAll(await asking);
    } catch (error) {
      throw error instanceof ServiceError ? blottedError(error, keys) : error;
    }
  };
  return {
    createJob: (...request) => answered(client.createJob(...request)),
    sendMessage: (...request) => answered(client.sendMessage(...request)),
    retrieveJob: (...request) => answered(client.retrieveJob(...request)),
    dispose: () => client.dispose(),
  };
}

function blottedError(error: ServiceError, keys: Pick<ApiKeys, 'blotAll'>): ServiceError {
  const { effect, status, retryAfterMs, cause } = error;
  const { detail, coded, code } = keys.blotAll({ detail: error.detail, coded: error.coded, code: error.code });
  return new ServiceError(error.kind, { effect, status, retryAfterMs, cause, detail, coded, code });
}
