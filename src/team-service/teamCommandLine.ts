import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { DAY_MS } from '../base/async';
import { isConfidential } from '../base/network';
import { isBlank } from '../base/text';
import { JOB_SETTINGS, RATE_LIMIT, RUN_OPTIONS, settingsOf } from '../local-service/commandLine';
import { flag, oneOf, readOptions, text, texts, UsageError, usageOf, wholeNumber } from '../local-service/options';
import { readRepository } from './repositoryAddress';
import { ROLES } from './store/keyStore';

type Environment = Readonly<Record<string, string | undefined>>;

/** How users call the program. */
export const PROGRAM_NAME = 'docs-agent-service';

const COMMON = {
  database: text(
    'URL',
    'postgres://USER:PASSWORD@HOST/DATABASE. To keep the password off the command line, set the environment variable DOCS_AGENT_DATABASE to the URL, or DOCS_AGENT_DATABASE_FILE to the path of a file that contains it',
  ),
  help: flag('show this help'),
};

const API = {
  host: text('ADDRESS', 'address to listen on (default: 127.0.0.1)'),
  port: wholeNumber('port; 0 for any (default: 8080)', 0, 65_535, 8080),
  publicUrl: text('URL', 'URL at which clients reach the service, such as https://jobs.example.com', readPublicUrl),
  behindProxy: texts(
    'ADDRESS',
    'address or network of the HTTPS proxy in front of the service; repeatable. Requests from elsewhere are refused, and X-Forwarded-Host and X-Forwarded-Proto are read only from there',
  ),
  tlsCert: text('FILE', 'serve HTTPS with this certificate, in PEM format', readGivenFile),
  tlsKey: text('FILE', 'key of the certificate, in PEM format', readGivenFile),
  ...RATE_LIMIT,
  connections: wholeNumber('maximum number of database connections (default: 10)', 2, 1_000, 10),
};

const WORKER = {
  data: text('DIR', 'folder for clones and sessions; each worker needs its own'),
  ...RUN_OPTIONS,
};

const PROJECT = {
  repository: text(
    'URL',
    'address to clone from, without user name and password: https, ssh, git@HOST:PATH, or file',
    readRepository,
  ),
  name: text('NAME', 'name to show (default: the last part of the URL)', readName),
  webhook: {
    ...text(
      'URL',
      'URL to send each job to that completes or fails, signed with the secret in the environment variable DOCS_AGENT_WEBHOOK_SECRET, or in the file that DOCS_AGENT_WEBHOOK_SECRET_FILE names',
    ),
    negated: 'send none',
    read: (given: readonly (string | boolean)[]) => given.at(-1),
  },
};

const KEY = {
  project: texts('ID', 'project that the key gives access to; repeatable'),
  role: text(
    'ROLE',
    "admin (default), read (can't change anything), or metrics (only /metrics, no project)",
    oneOf(ROLES),
  ),
  expires: text('WHEN', 'number of days, such as 90d, or a date, such as 2030-12-31 (default: never)'),
};

export type ApiOptions = ReturnType<typeof parseApi>;
export type WorkerSettings = ReturnType<typeof parseWorker>;
export type ManageCommand = ReturnType<typeof parseManage>;

/** Throws UsageError, like the others below. */
export function parseApi(args: string[], environment: Environment) {
  const { values } = readOptions({ ...COMMON, ...API }, args);
  const { host = '127.0.0.1', port, publicUrl, behindProxy, tlsCert: cert, tlsKey: key, ...limits } = values;
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be used together.');
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new UsageError(`--tls-cert and --tls-key can’t be used: ${(error as Error).message}`);
  }
  return {
    ...{ host, port, publicUrl, rateLimit: limits.rateLimit, connections: limits.connections },
    database: databaseUrl(values.database, environment),
    proxies: readProxies(behindProxy),
    tls: cert && key && { cert, key },
  };
}

export function parseWorker(args: string[], environment: Environment) {
  const { database, data, concurrency, turnTimeoutMs, keepDays } = readOptions({ ...COMMON, ...WORKER }, args).values;
  if (data === undefined || data === '') {
    throw new UsageError('--data is missing. Each worker needs its own folder.');
  }
  const limits = { concurrency, turnTimeoutMs, keepDays };
  return { database: databaseUrl(database, environment), data: resolve(data), ...limits };
}

/** @param now milliseconds since the epoch */
export function parseManage(args: string[], environment: Environment, now: number) {
  const command = args.slice(0, 2).join(' ');
  const rest = args.slice(2);
  switch (command) {
    case 'key create': {
      const { values } = readOptions({ ...COMMON, ...KEY }, rest);
      const { role = 'admin', project: projects = [], expires, database } = values;
      if ((projects.length === 0) !== (role === 'metrics')) {
        throw new UsageError('A key needs --project, except one with the role “metrics”, which has none.');
      }
      const expiresAt = readExpiry(expires, now);
      return { command, role, projects, expiresAt, database: databaseUrl(database, environment) };
    }
    case 'key list':
    case 'project list':
      return { command, database: databaseUrl(readOptions(COMMON, rest).values.database, environment) };
    case 'key revoke': {
      const { values, positionals } = readOptions(COMMON, rest, true);
      const [id, ...more] = positionals;
      if (id === undefined || more.length > 0) {
        throw new UsageError('Specify one key ID. “key list” shows the IDs.');
      }
      return { command, id, database: databaseUrl(values.database, environment) };
    }
    case 'project add': {
      const { values } = readOptions({ ...COMMON, ...PROJECT, ...JOB_SETTINGS }, rest);
      const { repository, name, database, webhook: url, ...given } = values;
      if (repository === undefined) {
        throw new UsageError('--repository is missing: the address to clone from.');
      }
      if (given.publish === false) {
        throw new UsageError('The work of a team’s service is always pushed. Leave out --no-pull-requests.');
      }
      const settings = settingsOf(given);
      // Null removes it; undefined leaves it as it is.
      const webhook = typeof url === 'string' ? readWebhook(url, environment) : url === false ? null : undefined;
      return { command, repository, name, settings, webhook, database: databaseUrl(database, environment) };
    }
    default:
      throw new UsageError('Use “key create”, “key list”, “key revoke”, “project add”, or “project list”. See --help.');
  }
}

/** Other programs on the machine can read command lines, so a password belongs in the environment or a file. */
export function databaseUrl(option: string | undefined, environment: Environment): string {
  const url = option ?? secretIn(environment, 'DOCS_AGENT_DATABASE');
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    // Not shown: it may contain a password.
    throw new UsageError('--database or DOCS_AGENT_DATABASE must be a URL such as postgres://user@host/database.');
  }
  return url;
}

function readWebhook(given: string, environment: Environment): { url: string; secret: string } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !isConfidential(url) || url.username !== '' || url.password !== '') {
    throw new UsageError('--webhook must be an https URL without user and password, or an http URL of this machine.');
  }
  const secret = secretIn(environment, 'DOCS_AGENT_WEBHOOK_SECRET');
  if (secret.length < 16) {
    throw new UsageError(
      '--webhook needs a secret of at least 16 characters in DOCS_AGENT_WEBHOOK_SECRET, or in the file that DOCS_AGENT_WEBHOOK_SECRET_FILE names.',
    );
  }
  return { url: url.href, secret };
}

/** Reads a variable, or the file that the variable with `_FILE` names; empty if there is neither. Throws UsageError. */
function secretIn(environment: Environment, name: string): string {
  const file = environment[`${name}_FILE`];
  return environment[name] ?? (file === undefined ? '' : readGivenFile(file, `${name}_FILE`).toString().trim());
}

function readGivenFile(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`Couldn’t read the file in ${name}: ${(error as Error).message}`);
  }
}

function readName(given: string): string {
  if (isBlank(given)) {
    throw new UsageError('--name must have at least one visible character.');
  }
  return given;
}

function readPublicUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new UsageError('--public-url must be an address without a path, such as https://jobs.example.com.');
  }
  if (!isConfidential(url)) {
    throw new UsageError(
      '--public-url must use https: clients refuse http, which others can read, except to localhost or a loopback address.',
    );
  }
  return url;
}

/** Reads addresses and networks such as `10.0.0.0/8`, separated by commas. Throws UsageError. */
export function readProxies(given: readonly string[] | undefined): BlockList | undefined {
  if (given === undefined) {
    return undefined;
  }
  const list = new BlockList();
  for (const text of given.flatMap((each) => each.split(',')).map((each) => each.trim())) {
    const [address = '', length, ...rest] = text.split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const prefix = Number(length ?? most);
    // A network of all addresses would make every client a proxy.
    if (version === 0 || rest.length > 0 || !(prefix >= 1 && prefix <= most)) {
      throw new UsageError(`--behind-proxy must be an IP address or a network such as 10.0.0.0/8, not “${text}”.`);
    }
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Reads a number of days (`90d`) or a date (`2027-01-31`, in UTC). */
function readExpiry(given: string | undefined, now: number): number | undefined {
  if (given === undefined) {
    return undefined;
  }
  const days = /^(\d{1,5})d$/.exec(given)?.[1];
  const date = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(given) : NaN;
  const at = days === undefined ? date : now + Number(days) * DAY_MS;
  if (Number.isNaN(at) || at <= now) {
    throw new UsageError(
      '--expires must be a number of days, such as 90d, or a date in the future, such as 2030-12-31.',
    );
  }
  return at;
}

const OVERVIEW = `Usage: ${PROGRAM_NAME} COMMAND [options]

An agent job service for a team, backed by PostgreSQL:

  api                     answers requests; run as many as you like
  worker                  runs jobs; run as many as you like
  project add             add or change a project
  project list            list the projects
  key create              create a key, and show it once
  key list                list the keys’ IDs, roles, and projects, but not their values
  key revoke ID           revoke a key immediately

Or the same service for one person, without a database:

  serve --repo DIR        see “docs-agent-service serve --help”
  check                   check documentation; see “docs-agent-service check --help”
  mcp                     tools for other agents; see “docs-agent-service mcp --help”

“${PROGRAM_NAME} COMMAND --help” explains the options of a command.

Exit codes: 0 stopped on request, 1 error, 2 usage error, 3 data folder in use, 4 database changed by a newer version.
`;

const COMMANDS: Readonly<Record<string, () => string>> = {
  api: () => `Usage: ${PROGRAM_NAME} api [options]

Answers requests. Run as many as you like.

${usageOf(API)}`,
  worker: () => `Usage: ${PROGRAM_NAME} worker --data DIR [options]

Runs jobs. Run as many as you like.

${usageOf(WORKER)}  The tokens for Git hosts come from the environment variable DOCS_AGENT_TOKENS, or from the file that
  DOCS_AGENT_TOKENS_FILE names: HOST=TOKEN or HOST=USER:TOKEN, separated by spaces or line breaks.
`,
  project: () => `Usage: ${PROGRAM_NAME} project add --repository URL [options]
       ${PROGRAM_NAME} project list

Adds a project and prints its ID. If the repository already has a project, changes only the options that you specify.

${usageOf(PROJECT)}
Job settings:
${usageOf(JOB_SETTINGS)}`,
  key: () => `Usage: ${PROGRAM_NAME} key create --project ID [options]
       ${PROGRAM_NAME} key list
       ${PROGRAM_NAME} key revoke ID

Creates a key and shows it once, lists keys without their values, or revokes one immediately.

${usageOf(KEY)}`,
};

/** The help that these arguments ask for, on the program or on a command for a team. Undefined if they ask for none. */
export function teamHelp(args: readonly string[]): string | undefined {
  const [command = 'help', ...rest] = args;
  const isHelp = (word: string | undefined) => word === 'help' || word === '--help' || word === '-h';
  const usage = COMMANDS[isHelp(command) ? (rest[0] ?? '') : command];
  if (usage === undefined) {
    return isHelp(command) ? OVERVIEW : undefined;
  }
  return args.some((word) => word === '--help' || word === '-h') || isHelp(command)
    ? `${usage()}\nOptions for all commands:\n${usageOf(COMMON)}`
    : undefined;
}
