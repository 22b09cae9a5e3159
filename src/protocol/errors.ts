import type { CodedText } from './codedText';

/**
 * What went wrong with a request. Each kind corresponds to one thing that the user can do:
 *
 * - `unauthorized`: enter a new key (401)
 * - `forbidden`: ask for the right scope, plan or network (402, 403, 451)
 * - `notFound`: check project and job id (404, 410)
 * - `rejected`: change the prompt (400, 409, 413, 422)
 * - `limit`: wait (429)
 * - `unreachable`: check network, proxy and address, or wait for the service (5xx)
 * - `timeout`: try later (also 408, 504)
 * - `notUnderstood`: the answer is not one of this API (redirects, HTML, a body that is not a job, 405, 415 and the
 *   like)
 * - `aborted`: nothing; the user or the editor canceled the request
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
 * What is known about the request's effect on the service: `none` if not one byte of it left this machine, or the local
 * service says that it read none; `refused` if the service answered and did nothing; `unknown` if it may have acted.
 */
export type Effect = 'none' | 'refused' | 'unknown';

export interface ServiceErrorOptions {
  effect: Effect;
  /** HTTP status, if there was an answer. */
  status?: number | undefined;
  /** The service's own message. Untrusted text: escape it where it is shown. */
  detail?: string | undefined;
  /** The same message as a code, if the service sends one. */
  coded?: CodedText | undefined;
  /** How long the service asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** A system or library code such as ECONNREFUSED. */
  code?: string | undefined;
  cause?: unknown;
}

/** The only error that the client throws. `message` is for the log; what a user reads is derived from `kind`. */
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

/**
 * What went wrong before a connection was established. Each problem corresponds to one thing that a person can check.
 */
export type NetworkProblem =
  /** The host name was not found. */
  | 'name'
  /** Nothing listens there, or there is no route to it. */
  | 'refused'
  | 'time'
  /** The certificate was not issued by an authority that this machine trusts. */
  | 'authority'
  /** The certificate was issued for another host. */
  | 'host'
  /** The certificate has expired or is not yet valid. */
  | 'date'
  /** No secure connection for another reason. */
  | 'secure'
  /** The proxy requires a login. */
  | 'login'
  /** The proxy refuses to connect to the host. */
  | 'forbidden'
  /** The proxy setting is not the URL of a supported proxy. */
  | 'setting'
  /** The connection was lost, or any other problem. */
  | 'lost';

export interface NetworkDiagnosis {
  /** Where the problem occurred. */
  at: 'service' | 'proxy';
  problem: NetworkProblem;
  /** The proxy's status code, if that is the problem. */
  status?: string;
}

const PROXY = 'PROXY_';

/**
 * Error codes of Node (https://nodejs.org/api/errors.html,
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes) and of our client.
 */
const PROBLEMS: readonly (readonly [RegExp, NetworkProblem])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'name'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)$/, 'refused'],
  [/TIMEOUT$|^ETIMEDOUT$/, 'time'],
  [
    /SELF_SIGNED|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_(UNTRUSTED|REJECTED|SIGNATURE)|^INVALID_(CA|PURPOSE)/,
    'authority',
  ],
  [/^ERR_TLS_CERT_ALTNAME|^HOSTNAME_MISMATCH$/, 'host'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'date'],
  [/^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$)/, 'secure'],
];

/** Maps the code of a request that was not sent to its meaning. The prefix `PROXY_` marks a problem with the proxy. */
export function diagnoseNetworkError(code: string | undefined): NetworkDiagnosis {
  const atProxy = code?.startsWith(PROXY) === true;
  const at = atProxy ? 'proxy' : 'service';
  const own = (atProxy ? code.slice(PROXY.length) : code) ?? '';
  const status = atProxy ? /^STATUS_(\d+)$/.exec(own)?.[1] : undefined;
  if (status !== undefined) {
    return { at, problem: 'forbidden', status };
  }
  if (atProxy && (own === 'LOGIN' || own === 'SETTING')) {
    return { at, problem: own === 'LOGIN' ? 'login' : 'setting' };
  }
  return { at, problem: PROBLEMS.find(([codes]) => codes.test(own))?.[1] ?? 'lost' };
}
