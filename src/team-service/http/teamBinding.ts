import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isOwnHost } from '../../local-service/http/authentication';
import { type Binding, WRONG_HOST } from '../../local-service/http/listen';
import { UsageError } from '../../local-service/options';

/**
 * How long an idle connection stays open, in milliseconds: longer than a proxy keeps it (Caddy: 2 minutes). Otherwise,
 * the proxy could send a request on a connection that is being closed.
 */
const KEEP_ALIVE_MS = 150_000;

/** Probes and scrapers send an address instead of the service's host name. No web page can use these paths. */
const FOR_MACHINES = /^\/(?:healthz|readyz|metrics)(?:\?|$)/;
/** Probes don't come through the proxy. */
const FOR_PROBES = /^\/(?:healthz|readyz)(?:\?|$)/;

export interface HostOptions {
  host: string;
  /** The URL at which clients reach the service. */
  publicUrl: URL | undefined;
  /** The addresses and networks of the proxies; undefined without a proxy. */
  proxies: BlockList | undefined;
  tls: { cert: Buffer; key: Buffer } | undefined;
}

/**
 * Decides where the service listens, and which requests it accepts. Throws UsageError if others on the network could
 * read keys.
 */
export function teamBinding({ host, publicUrl, proxies, tls }: HostOptions): Binding {
  if (!isLoopbackAddress(host) && host !== 'localhost') {
    if (tls === undefined && proxies === undefined) {
      throw new UsageError(
        `Listening on ${host} needs --tls-cert and --tls-key, or --behind-proxy with the addresses of a proxy that speaks https. Otherwise, others could read the keys.`,
      );
    }
    if (publicUrl === undefined) {
      throw new UsageError(`Listening on ${host} needs --public-url, the URL at which clients reach the service.`);
    }
  }
  const refusal: Binding['refusal'] = (request) => {
    const path = request.url ?? '';
    if (!path.startsWith('/') || path.startsWith('//')) {
      return WRONG_HOST;
    }
    if (FOR_PROBES.test(path)) {
      return undefined;
    }
    const isProxy = isAmong(proxies, request.socket.remoteAddress);
    if (proxies !== undefined && !isProxy && !isLoopbackAddress(request.socket.remoteAddress ?? '')) {
      return 'This service accepts requests only from its proxy.';
    }
    if (isProxy && publicUrl?.protocol === 'https:' && single(request, 'x-forwarded-proto') === 'http') {
      return 'Use https.';
    }
    const named = (isProxy ? single(request, 'x-forwarded-host') : undefined) ?? single(request, 'host');
    const isWanted = isOwnHost(request) || (publicUrl !== undefined && isHostOf(publicUrl, named));
    return isWanted || FOR_MACHINES.test(path) ? undefined : wrongHost(named, publicUrl);
  };
  return { host, keepAliveMs: KEEP_ALIVE_MS, refusal, ...(tls && { tls }) };
}

/** Says what an operator has to change. With a public URL, that is most often the proxy, so it comes first. */
function wrongHost(named = '', publicUrl: URL | undefined): string {
  const got = `The Host header is “${named.slice(0, 100).replaceAll(/[^!-~]/g, '?')}”, but`;
  return publicUrl === undefined
    ? `${got} without --public-url, this service answers only to 127.0.0.1, localhost, and [::1].`
    : `${got} clients reach this service at “${publicUrl.host}”. Let the proxy pass on what it gets (nginx: proxy_set_header Host $http_host), or correct --public-url.`;
}

function isAmong(list: BlockList | undefined, address = ''): boolean {
  const plain = withoutMapping(address);
  const version = isIP(plain);
  return version !== 0 && list?.check(plain, version === 4 ? 'ipv4' : 'ipv6') === true;
}

export function isLoopbackAddress(address: string): boolean {
  const plain = withoutMapping(address);
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** A socket for both IPv4 and IPv6 reports `::ffff:127.0.0.1` instead of `127.0.0.1`. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d)/i, '');
}

/** The value of a header that was sent once. */
function single({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>, name: string): string | undefined {
  const values = headersDistinct[name] ?? [];
  return values.length === 1 ? values[0] : undefined;
}

/** Compares with the default port left out, as clients do. */
export function isHostOf({ protocol, host }: URL, named: string | undefined): boolean {
  const isPlain = named !== undefined && /^[A-Za-z0-9.:[\]-]+$/.test(named);
  const url = `${protocol}//${named ?? ''}`;
  return isPlain && URL.canParse(url) && new URL(url).host === host;
}
