import { readFile } from 'node:fs/promises';
import { isOn, KNOWN_AGENTS, type KnownAgent } from './knownAgents';

/** What a sandboxed agent may reach. */
export interface Reach {
  /** As `srt` takes them. */
  hosts: string[];
  /** Servers on this machine, as host and port. They are forwarded, because the sandbox has its own loopback. */
  local: string[];
  /** A host that the agent needs and that `srt` can't allow. */
  beyond: string | undefined;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1\])$/i;
const URLS = /\bhttps?:\/\/[^\s"'`<>\\)]+/g;

/**
 * The hosts of the agent's row, those for the switches and keys in its environment, those of the addresses there and in
 * its own configuration, and those that the user has added.
 *
 * @param agent undefined for a custom one, which may use any provider
 * @param environment all that it gets
 * @param configuration its own files that may name a server
 */
export async function reachOf(
  agent: KnownAgent | undefined,
  environment: NodeJS.ProcessEnv,
  configuration: readonly string[],
  added: readonly string[],
): Promise<Reach> {
  const rows = agent === undefined ? KNOWN_AGENTS : [agent];
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const switched = rows
    .flatMap(({ hostsWith = {} }) => Object.entries(hostsWith))
    .flatMap(([name, hosts]) => (isOn(environment[name]) ? hosts : []));
  const texts = await Promise.all(configuration.map((file) => readFile(file, 'utf8').catch(() => '')));
  const addresses = rows.flatMap(({ addresses = [] }) => addresses.flatMap((name) => urlIn(environment[name])));
  const configured = texts.flatMap((text) => text.match(URLS) ?? []).flatMap(urlIn);
  const named = [...addresses, ...configured];
  const local = [...named, ...added.flatMap(urlIn)].filter(isLocal).map(forwarded);
  return {
    hosts: [
      ...new Set([
        ...[...(agent?.hosts ?? []), ...switched].map((host) => host.replace('REGION', region)),
        ...named.filter((url) => !isLocal(url) && isNameable(url)).map(({ hostname }) => hostname),
        ...added,
        ...local,
      ]),
    ],
    local: [...new Set(local)],
    beyond: addresses.find((url) => !isLocal(url) && !isNameable(url))?.hostname,
  };
}

function urlIn(text = ''): URL[] {
  const url = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(url) ? [new URL(url)] : [];
}

function isLocal({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

function forwarded({ hostname, port, protocol }: URL): string {
  return `${hostname === '0.0.0.0' ? 'localhost' : hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** `srt` takes no name without a dot. */
function isNameable({ hostname }: URL): boolean {
  return hostname.includes('.') || hostname.startsWith('[');
}
