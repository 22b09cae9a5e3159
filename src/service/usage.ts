export const USAGE = `Usage: node service.mjs --repo DIR [options]

The local agent job service. It listens on 127.0.0.1 and writes one line of JSON to its standard output as soon as it is
ready: the port, the projects and how their jobs are done, and the file that holds the key which requests need
(“Authorization: Bearer KEY”).
The API stands at http://127.0.0.1:PORT/openapi.json.

  --repo DIR              a repository to make a project of; may be given more than once
  --port N                port on 127.0.0.1; 0 for any (default: that of the last run, or else any)
  --data DIR              where jobs are kept; one service at a time (default: a folder of the user's data)

How the jobs of these repositories are done; what is not given stays as it was last:
  --agent NAME            claude, codex, gemini, opencode, copilot, cursor, goose, or auto for the first that is
                          installed (default: auto)
  --agent-command JSON    another agent: program and arguments as ["program","argument"], prompt on standard input
  --acp                   that agent speaks the Agent Client Protocol
  --environment NAME      a variable that the agent sees beyond its own; may be given more than once
  --no-environment        it sees no such variable
  --allow-commands        an agent that asks may run commands
  --no-allow-commands     it may not (default)
  --allow-repository-agent-settings
                          agents load hooks, servers and other settings of theirs that the repository brings
  --no-allow-repository-agent-settings
                          they do not (default)
  --confine               run agents in the sandbox program srt, where it is installed
  --no-confine            run them without it (default)
  --pull-requests         push branches and open pull requests (default)
  --no-pull-requests      push nothing: a job ends with the review page

  --concurrency N         how many agents work at once (default: 2)
  --turn-timeout-ms N     how long an agent may work on one message (default: 1800000)
  --rate-limit N          requests per project, operation and hour (default: 100)
  --keep-days N           folders of jobs that ended longer ago are removed, once their work is safe (default: 30)
  --idle-minutes N        end after so long with no job and no request but for lists of jobs; 0 for never (default: 0)

For programs that start it:
  --keys-from-stdin       the first line of standard input is JSON with the keys; none is kept in a file:
                          {"keys":[{"key":"local_<64 hexadecimal digits>","projects":["id"]}]}
                          A key without "projects" opens all of them.
  --state-file FILE       where pid, start time and port are written, for others to find the service
  --release VERSION       the version that the state file names
  --help                  show this text

Exit codes: 0 ended on request, 1 failed, 2 started wrongly, 3 another service works on the same data folder,
4 a newer version of the service wrote the data folder.
`;
