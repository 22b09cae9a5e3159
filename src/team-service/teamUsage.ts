import { SETTINGS_USAGE } from '../local-service/usage';

/** How users call the program. */
export const PROGRAM_NAME = 'docs-agent-service';

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

“${PROGRAM_NAME} COMMAND --help” explains the options of a command.

Exit codes: 0 stopped on request, 1 error, 2 usage error, 3 data folder in use, 4 database changed by a newer version.
`;

const DATABASE = `
Options for all commands:
  --database URL          postgres://USER:PASSWORD@HOST/DATABASE. To keep the password off the command line, set the
                          environment variable DOCS_AGENT_DATABASE to the URL, or DOCS_AGENT_DATABASE_FILE to the path of
                          a file that contains it
  --help                  show this help
`;

const COMMANDS: Readonly<Record<string, string>> = {
  api: `Usage: ${PROGRAM_NAME} api [options]

Answers requests. Run as many as you like.

  --host ADDRESS          address to listen on (default: 127.0.0.1)
  --port N                port; 0 for any (default: 8080)
  --public-url URL        URL at which clients reach the service, such as https://jobs.example.com
  --behind-proxy ADDRESS  address or network of the HTTPS proxy in front of the service; repeatable. Requests from
                          elsewhere are refused, and X-Forwarded-Host and X-Forwarded-Proto are read only from there
  --tls-cert FILE, --tls-key FILE
                          serve HTTPS with this certificate and key, in PEM format
  --rate-limit N          requests per hour for each project and operation (default: 100)
  --connections N         maximum number of database connections (default: 10)
`,
  worker: `Usage: ${PROGRAM_NAME} worker --data DIR [options]

Runs jobs. Run as many as you like.

  --data DIR              folder for clones and sessions; each worker needs its own
  --concurrency N         maximum number of agents at the same time (default: 2)
  --turn-timeout-ms N     time limit for one run, in milliseconds (default: 1800000)
  --keep-days N           remove a job's folder N days after it finished, if its work is safe (default: 30)
  The tokens for Git hosts come from the environment variable DOCS_AGENT_TOKENS, or from the file that
  DOCS_AGENT_TOKENS_FILE names: HOST=TOKEN or HOST=USER:TOKEN, separated by spaces or line breaks.
`,
  project: `Usage: ${PROGRAM_NAME} project add --repository URL [options]
       ${PROGRAM_NAME} project list

Adds a project and prints its ID. If the repository already has a project, changes only the options that you specify.

  --repository URL        URL to clone from, without a password
  --name NAME             name to show (default: the last part of the URL)

Job settings:
${SETTINGS_USAGE}`,
  key: `Usage: ${PROGRAM_NAME} key create --project ID [options]
       ${PROGRAM_NAME} key list
       ${PROGRAM_NAME} key revoke ID

Creates a key and shows it once, lists keys without their values, or revokes one immediately.

  --project ID            project that the key gives access to; repeatable
  --role ROLE             admin (default), read (can’t change anything), or metrics (only /metrics, no project)
  --expires WHEN          number of days, such as 90d, or a date, such as 2030-12-31 (default: never)
`,
};

/** The help that these arguments ask for, on the program or on a command for a team. Undefined if they ask for none. */
export function teamHelp(args: readonly string[]): string | undefined {
  const [command = 'help', ...rest] = args;
  const isHelp = (word: string | undefined) => word === 'help' || word === '--help' || word === '-h';
  const named = COMMANDS[isHelp(command) ? (rest[0] ?? '') : command];
  if (named === undefined) {
    return isHelp(command) ? OVERVIEW : undefined;
  }
  return args.some((word) => word === '--help' || word === '-h') || isHelp(command) ? `${named}${DATABASE}` : undefined;
}
