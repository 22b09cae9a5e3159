/** The options for the job settings of a project. */
export const SETTINGS_USAGE = `  --agent NAME            claude, codex, gemini, opencode, copilot, cursor, goose, or auto for the first one
                          found (default: auto)
  --agent-command JSON    custom agent: program and arguments as ["program","argument"], prompt on standard input
  --acp                   the custom agent uses the Agent Client Protocol
  --environment NAME      additional environment variable for the agent; repeatable
  --no-environment        no additional environment variables
  --allow-commands        allow commands that the agent asks to run
  --no-allow-commands     deny them (default)
  --allow-repository-agent-settings
                          let agents load hooks, MCP servers, and other agent settings from the repository
  --no-allow-repository-agent-settings
                          don't let them (default)
  --confine               run agents in the srt sandbox if it's installed
  --no-confine            run agents without a sandbox (default)
  --pull-requests         push branches and open pull requests (default)
  --no-pull-requests      push nothing; review the work on the review page (not available in a service
                          for a team)
  --check-in-pull-request check the added lines against the code, and list problems in pull requests
  --no-check-in-pull-request
                          don't (default)
`;

/** How users call the program. Another package has it under another name. */
export const PROGRAM_NAME = 'node service.mjs';

export const USAGE = `Usage: ${PROGRAM_NAME} --repo DIR [options]

The agent job service for one person, on this machine. It listens on 127.0.0.1. When it's ready, it writes one line of
JSON to standard output: the port, the projects and their job settings, and the file that contains the key for requests
(“Authorization: Bearer KEY”).
API reference: http://127.0.0.1:PORT/openapi.json

“${PROGRAM_NAME} merge ID” merges a job without a pull request into your branch, and “${PROGRAM_NAME} close ID” closes it
without merging. They need the service to be running, and take --data, too.
“${PROGRAM_NAME} check --help” explains how to check documentation against the code instead.

  --repo DIR              repository to serve; repeatable
  --port N                port on 127.0.0.1; 0 for any (default: last used, or any)
  --data DIR              data folder; one service at a time (default: a folder in the user's data folder)

Job settings for these repositories (if omitted, the last value used, or else the default):
${SETTINGS_USAGE}
  --concurrency N         maximum number of agents at the same time (default: 2)
  --turn-timeout-ms N     time limit for one run, in milliseconds (default: 1800000)
  --rate-limit N          requests per hour for each project and operation (default: 100)
  --keep-days N           remove a job's folder N days after it finished, if its work is safe (default: 30)
  --idle-minutes N        stop after N idle minutes; 0 never stops (default: 0)

For programs that start the service:
  --keys-from-stdin       read the keys as JSON from the first line of standard input; they aren't saved to a file:
                          {"keys":[{"key":"local_<64 hexadecimal digits>","projects":["id"]}]}
                          A key without "projects" gives access to all of them.
  --state-file FILE       file for PID, start time, and port, so that other programs can find the service
  --release VERSION       version to write to the state file
  --help                  show this help

Exit codes: 0 stopped on request, 1 error, 2 usage error, 3 data folder in use,
4 data folder written by a newer version.
`;
