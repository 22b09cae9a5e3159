import type { CodedText } from './codedText';

/**
 * What went wrong with a request, each kind one thing that the user can do:
 *
 * - `unauthorized`: enter a new key (401)
 * - `forbidden`: ask for the right scope, plan or network (402, 403, 451)
 * - `notFound`: check project and job id (404, 410)
 * - `rejected`: change the prompt (400, 409, 413, 422)
 * - `limit`: wait (429)
 * - `unreachable`: look at network, proxy, address, or wait for the service (5xx)
 * - `timeout`: try later (also 408, 504)
 * - `notUnderstood`: the answer is not that of this API (redirects, HTML, a body that is no job, 405, 415 and the like)
 * - `aborted`: nothing; the user or the editor stopped it
 */
export type ServiceErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'rejected'
  | 'limit'
  | 'unreachable'
  | 'timeout'
  | 'notUnderstood'
  | 'aborted';

/**
 * What is known of the request's fate at the service: `none` when not one byte of it left this machine, or the local
 * service says that it read none; `refused` when the service answered and did nothing; `unknown` when it may have acted.
 */
export type Effect = 'none' | 'refused' | 'unknown';

export interface ServiceErrorOptions {
  effect: Effect;
  /** HTTP status, where there was an answer. */
  status?: number | undefined;
  /** The service's own words; foreign text, to be escaped where it is shown. */
  detail?: string | undefined;
  /** The same by its code, where the service says so. */
  coded?: CodedText | undefined;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** A system or library code such as ECONNREFUSED. */
  code?: string | undefined;
  cause?: unknown;
}

/** The one error that the client throws. `message` is for the log; what a user reads is made from `kind`. */
export class ServiceError extends Error {
  readonly effect: Effect;
  readonly status: number | undefined;
  readonly detail: string;
  readonly coded: CodedText | undefined;
  readonly retryAfterMs: number | undefined;
  readonly code: string | undefined;

  constructor(
    readonly kind: ServiceErrorKind,
    options: ServiceErrorOptions,
  ) {
    const facts = [options.status, options.code, options.detail].filter((fact) => fact !== undefined && fact !== '');
    super([kind, ...facts].join(', '), { cause: options.cause });
    this.name = 'ServiceError';
    this.effect = options.effect;
    this.status = options.status;
    this.detail = options.detail ?? '';
    this.coded = options.coded;
    this.retryAfterMs = options.retryAfterMs;
    this.code = options.code;
  }
}
