/** How requests leave this machine. Plain values, independent of where settings are stored. */
export interface NetworkSettings {
  /** URL of the proxy, optionally with user and password; empty for none. */
  proxy: string;
  /** Hosts that bypass the proxy: `example.com` with all its subdomains, `example.com:8443`, or `*`. */
  noProxy: readonly string[];
  /** The full value of `Proxy-Authorization`; takes precedence over user and password in the URL. */
  proxyAuthorization?: string | undefined;
  /** Whether to also trust the operating system's certificate authorities. */
  systemCertificates: boolean;
}

export const DIRECT: NetworkSettings = { proxy: '', noProxy: [], systemCertificates: false };

export interface ProxyServer {
  /** `http:` or `https:`, without user and password. */
  origin: string;
  authorization: string | undefined;
}

/**
 * Returns the proxy for a target, or undefined if it is reached directly. Loopback addresses never use a proxy, as in
 * VS Code: the local service's key must not leave this machine.
 *
 * @throws ConnectFailure if the setting is not the URL of a supported proxy: bypassing the proxy would be wrong
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
  const login = `${decodeUserInfo(username)}:${decodeUserInfo(password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** A lone percent sign in a password is taken literally. */
export function decodeUserInfo(part: string): string {
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

/** A failure at the proxy, before a connection to the target was established. */
export class ConnectFailure extends Error {
  /** @param code starts with `PROXY_` */
  constructor(
    readonly code: string,
    cause?: unknown,
  ) {
    super(`no connection: ${code}`, { cause });
  }
}

/** Returns the code of an error; if several addresses were tried, the code of the first one. */
export function codeOf(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') {
    return code;
  }
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : undefined;
}

/** Whether others on the network can't read what is sent to a URL: https, or http on this machine. */
export function isConfidential({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** `127.0.0.0/8`, `[::1]` and `localhost`, as serialized by the URL standard. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
