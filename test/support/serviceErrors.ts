import { ServiceError } from '../../src/protocol/errors';

/** The service was not reached: nothing was sent. */
export const down = new ServiceError('unreachable', { effect: 'none', code: 'ECONNREFUSED' });
/** The connection broke after the request was sent. */
export const lost = new ServiceError('unreachable', { effect: 'unknown', code: 'ECONNRESET' });
export const limit = new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 120_000 });
export const refused = new ServiceError('rejected', { effect: 'refused', status: 400 });
export const badKey = new ServiceError('unauthorized', { effect: 'refused', status: 401 });
/** There is no key to send with. */
export const noKey = new ServiceError('unauthorized', { effect: 'none', code: 'NO_KEY' });
