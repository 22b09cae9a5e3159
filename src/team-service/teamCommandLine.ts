import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  OPTIONS,
  parseSettings,
  SETTINGS,
  type SettingsOverrides,
  UsageError,
  wholeNumber,
  withUsageErrors,
} from '../local-service/commandLine';
import { readProxies } from './http/teamBinding';
import { type Role, ROLES } from './store/keyStore';
import type { WorkerOptions } from './worker';

export interface ApiOptions {
  database: string;
  host: string;
  port: number;
  publicUrl: URL | undefined;
  proxies: BlockList | undefined;
  tls: { cert: Buffer; key: Buffer } | undefined;
  rateLimit: number;
  connections: number;
}

export type WorkerSettings = Pick<WorkerOptions, 'database' | 'data' | 'concurrency' | 'turnTimeoutMs' | 'keepDays'>;

export type ManageCommand = { database: string } & (
  | { command: 'key create'; role: Role; projects: readonly string[]; expiresAt: number | undefined }
  | { command: 'key list' | 'project list' }
  | { command: 'key revoke'; id: string }
  | { command: 'project add'; repository: string; name: string | undefined; settings: SettingsOverrides | undefined }
);

const DAY_MS = 86_400_000;
const DATABASE = { database: { type: 'string' } } as const;
type Environment = Readonly<Record<string, string | undefined>>;

/** Throws UsageError, like the others below. */
export function parseApi(args: string[], environment: Environment): ApiOptions {
  const { values } = parse(args, {
    ...DATABASE,
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string' },
    'public-url': { type: 'string' },
    'behind-proxy': { type: 'string', multiple: true },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'rate-limit': { type: 'string' },
    connections: { type: 'string' },
  });
  const [cert, key] = [values['tls-cert'], values['tls-key']];
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be used together.');
  }
  return {
    database: databaseUrl(values.database, environment),
    host: values.host,
    port: wholeNumber('--port', values.port, 8080, 0, 65_535),
    publicUrl: publicUrl(values['public-url']),
    proxies: readProxies(values['behind-proxy']),
    tls:
      cert === undefined || key === undefined
        ? undefined
        : { cert: read('--tls-cert', cert), key: read('--tls-key', key) },
    rateLimit: wholeNumber('--rate-limit', values['rate-limit'], 100, 1, 1_000_000),
    connections: wholeNumber('--connections', values.connections, 10, 2, 1_000),
  };
}

export function parseWorker(args: string[], environment: Environment): WorkerSettings {
  const { values } = parse(args, {
    ...DATABASE,
    data: { type: 'string' },
    concurrency: { type: 'string' },
    'turn-timeout-ms': { type: 'string' },
    'keep-days': { type: 'string' },
  });
  if (values.data === undefined || values.data === '') {
    throw new UsageError('--data is missing. Each worker needs its own folder.');
  }
  return {
    database: databaseUrl(values.database, environment),
    data: resolve(values.data),
    concurrency: wholeNumber('--concurrency', values.concurrency, 2, 1, 64),
    turnTimeoutMs: wholeNumber('--turn-timeout-ms', values['turn-timeout-ms'], 1_800_000, 1, 2_147_483_647),
    keepDays: wholeNumber('--keep-days', values['keep-days'], 30, 0, 36_500),
  };
}

/** @param now milliseconds since the epoch */
export function parseManage(args: string[], environment: Environment, now: number): ManageCommand {
  const command = args.slice(0, 2).join(' ');
  const rest = args.slice(2);
  switch (command) {
    case 'key create': {
      const options = { project: { type: 'string', multiple: true }, role: { type: 'string' } } as const;
      const { values } = parse(rest, { ...DATABASE, ...options, expires: { type: 'string' } });
      const { role = 'admin', project: projects = [], database } = values;
      if (!isRole(role)) {
        throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`);
      }
      if ((projects.length === 0) !== (role === 'metrics')) {
        throw new UsageError('A key needs --project, except one with the role “metrics”, which has none.');
      }
      const expiresAt = expiry(values.expires, now);
      return { command, role, projects, expiresAt, database: databaseUrl(database, environment) };
    }
    case 'key list':
    case 'project list':
      return { command, database: databaseUrl(parse(rest, DATABASE).values.database, environment) };
    case 'key revoke': {
      const { values, positionals } = parse(rest, DATABASE, true);
      const [id, ...more] = positionals;
      if (id === undefined || more.length > 0) {
        throw new UsageError('Specify one key ID. “key list” shows the IDs.');
      }
      return { command, id, database: databaseUrl(values.database, environment) };
    }
    case 'project add': {
      const own = { ...DATABASE, repository: { type: 'string' }, name: { type: 'string' } } as const;
      const { values } = parse(rest, { ...own, ...SETTINGS_OPTIONS });
      const { repository, name, database, ...settings } = values;
      if (repository === undefined || repository === '') {
        throw new UsageError('--repository is missing: the URL to clone from.');
      }
      if (settings['no-pull-requests'] === true) {
        throw new UsageError('The work of a team’s service is always pushed. Leave out --no-pull-requests.');
      }
      return {
        ...{ command, repository, name, database: databaseUrl(database, environment) },
        settings: parseSettings(settings, [repository]),
      };
    }
    default:
      throw new UsageError('Use “key create”, “key list”, “key revoke”, “project add”, or “project list”. See --help.');
  }
}

const SETTINGS_OPTIONS = Object.fromEntries(SETTINGS.map((name) => [name, OPTIONS[name]])) as Pick<
  typeof OPTIONS,
  (typeof SETTINGS)[number]
>;

function parse<T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
  allowPositionals = false,
) {
  return withUsageErrors(() => parseArgs({ args, options, allowPositionals }));
}

/**
 * The database's URL: the option, or `DOCS_AGENT_DATABASE`, or what the file in `DOCS_AGENT_DATABASE_FILE` contains.
 * Other programs on the machine can read command lines, so a password belongs in one of the latter.
 */
export function databaseUrl(option: string | undefined, environment: Environment): string {
  const { DOCS_AGENT_DATABASE: variable, DOCS_AGENT_DATABASE_FILE: file } = environment;
  const url =
    option ?? variable ?? (file === undefined ? '' : read('DOCS_AGENT_DATABASE_FILE', file).toString().trim());
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    // Not shown: it may contain a password.
    throw new UsageError('--database or DOCS_AGENT_DATABASE must be a URL such as postgres://user@host/database.');
  }
  return url;
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`Couldn’t read the file in ${name}: ${(error as Error).message}`);
  }
}

function publicUrl(text: string | undefined): URL | undefined {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (text !== undefined && !isPlain) {
    throw new UsageError('--public-url must be an address without a path, such as https://jobs.example.com.');
  }
  return url;
}

/** Reads a number of days (`90d`) or a date (`2027-01-31`, in UTC). */
function expiry(text: string | undefined, now: number): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  const at = days === undefined ? date : now + Number(days) * DAY_MS;
  if (Number.isNaN(at) || at <= now) {
    throw new UsageError(
      '--expires must be a number of days, such as 90d, or a date in the future, such as 2030-12-31.',
    );
  }
  return at;
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}
