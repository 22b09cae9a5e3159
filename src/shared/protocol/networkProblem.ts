/** What went wrong before a connection stood, each one thing that a person can look at. */
export type NetworkProblem =
  /** The name was not found. */
  | 'name'
  /** Nobody listens there, or no way leads there. */
  | 'refused'
  | 'time'
  /** The certificate comes from nobody whom this machine trusts. */
  | 'authority'
  /** The certificate is made out to another host. */
  | 'host'
  /** The certificate has ended, or has not begun. */
  | 'date'
  /** No secure connection for another reason. */
  | 'secure'
  /** The proxy wants a login. */
  | 'login'
  /** The proxy will not lead there. */
  | 'forbidden'
  /** What is set is no address of a proxy that we can speak to. */
  | 'setting'
  /** The connection ended, or something else. */
  | 'lost';

export interface NetworkTrouble {
  /** On which part of the way. */
  at: 'service' | 'proxy';
  problem: NetworkProblem;
  /** The proxy's answer, where that is the trouble. */
  status?: string;
}

const PROXY = 'PROXY_';

/** Codes of Node (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes) and of our client. */
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

/** What the code of a request that was not sent means; `PROXY_` in front of one names the proxy. */
export function networkTrouble(code: string | undefined): NetworkTrouble {
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
