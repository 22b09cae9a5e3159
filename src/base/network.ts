/** How requests leave this machine. Plain values: who makes them knows where settings live. */
export interface NetworkSettings {
  /** Address of the proxy, maybe with user and password; empty for none. */
  proxy: string;
  /** What is reached without it: `example.com` and all below it, `example.com:8443`, or `*`. */
  noProxy: readonly string[];
  /** The whole value of `Proxy-Authorization`; goes before user and password of the address. */
  proxyAuthorization?: string | undefined;
  /** Whether the operating system's authorities vouch, too. */
  systemCertificates: boolean;
}

export const DIRECT: NetworkSettings = { proxy: '', noProxy: [], systemCertificates: false };

export interface ProxyServer {
  /** `http:` or `https:`, without user and password. */
  origin: string;
  authorization: string | undefined;
}

/**
 * The proxy for a target, or undefined where it is reached directly. This machine itself never is behind a proxy, as in
 * VS Code: the local service's key must not leave it.
 *
 * @throws ConnectFailure where the setting is no address of a proxy that we can speak to: to go round it would be wrong
 */
export function proxyFor(target: URL, settings: NetworkSettings): ProxyServer | undefined {
  const text = settings.proxy.trim();
  if (text === '' || isLoopback(target.hostname) || isExcepted(target, settings.noProxy)) {
    return undefined;
  }
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ConnectFailure('PROXY_SETTING');
  }
  return { origin: url.origin, authorization: settings.proxyAuthorization ?? basic(url) };
}

function basic({ username, password }: URL): string | undefined {
  if (username === '' && password === '') {
    return undefined;
  }
  const login = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** A lone percent sign in a password stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isExcepted({ protocol, hostname, port }: URL, noProxy: readonly string[]): boolean {
  const host = `.${hostname}`;
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return noProxy.some((entry) => {
    const [, name = '', onPort] = /^(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    const domain = name.replace(/^\*?\.?/, '.');
    return name === '*' || (domain !== '.' && host.endsWith(domain) && (onPort === undefined || onPort === ownPort));
  });
}

/** A failure before a connection stood, so before any byte of a request could leave: name look-up, connect, proxy, TLS. */
export class ConnectFailure extends Error {
  /**
   * @param reason a system or library code; with the prefix `PROXY_` what went wrong on the way to the proxy or at it
   */
  constructor(
    readonly reason: string | undefined,
    cause?: unknown,
  ) {
    super(`no connection: ${reason ?? 'for an unknown reason'}`, { cause });
  }
}

/** The code of an error; where several addresses were tried, that of the first. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof ConnectFailure) {
    return error.reason;
  }
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') {
    return code;
  }
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : undefined;
}

/** `127.0.0.0/8`, `[::1]` and `localhost`, as the URL standard writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
