import * as z from 'zod/mini';
import { maxLength, minLength } from '../base/lengthChecks';
import { withFallback } from '../base/withFallback';
import { codedField, visibleText } from './fieldSchemas';
import { LOCAL_KEY } from './localIds';

/** The format of project ids and job ids that the local service assigns. */
export const LOCAL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * One line of JSON on the local service's standard input: the keys that it accepts. Keys are never passed on a command
 * line.
 */
export const serviceInputSchema = z.object({
  keys: z.array(
    z.object({
      key: z.string().check(z.regex(LOCAL_KEY)),
      /** The projects that the key gives access to; all of them if absent. */
      projects: z.optional(z.array(z.string())),
    }),
  ),
});
export type ServiceInput = z.infer<typeof serviceInputSchema>;

/**
 * The state file (mode 0600) by which an editor window finds a running local service. Includes the start time, because
 * a pid alone may have been reused by another process. Contains no key.
 */
export const serviceStateSchema = z.object({
  version: z.literal(1),
  pid: z.number(),
  /** When the process started, in a platform-specific form (see `processStartTime`); compared for equality. */
  startTime: z.string(),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
  /** The version of the extension that started it. */
  release: z.optional(z.string()),
  /** The service is shutting down and takes no more requests; one started now waits until it has exited. */
  ending: z.optional(z.boolean()),
});
export type ServiceState = z.infer<typeof serviceStateSchema>;

/** The name of an environment variable. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * True for variables withheld from every agent, even if configured: the service's own, the editor's, git's, and those
 * that control Node.
 */
export function isWithheldVariable(name: string): boolean {
  return /^(DOCS_AGENT_|VSCODE_|ELECTRON_|GIT_|NODE_OPTIONS$)/i.test(name);
}

/** A host that a sandboxed agent may reach, as `srt` takes it: an address or a name with a dot, or `localhost:PORT`. */
export const ALLOWED_HOST =
  /^(localhost(?=:)|(\*\.[a-z0-9_-]+|[a-z0-9_-]+)(\.[a-z0-9_-]+)+|\[[0-9a-f:]+\])(:[1-9]\d{0,4})?$/i;

/** An absolute path, or one in the home folder. */
export const WRITABLE_FOLDER = /^(\/|~\/|[a-z]:[\\/])/i;

export const CONFINEMENTS = ['auto', 'require', 'off'] as const;
export type Confinement = (typeof CONFINEMENTS)[number];

/** How the local service runs the jobs of a project. Absent fields have the defaults given here. */
export const projectSettingsSchema = z.object({
  /** `auto` for the first known agent that is installed, an agent's name (see `GET /local/agents`), or `custom`. */
  agent: z._default(z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)), 'auto'),
  /** Program and arguments of a custom agent, started without a shell. */
  command: z._default(z.array(z.string()), []),
  /**
   * How to communicate with a custom agent: over the Agent Client Protocol, or with the prompt on its standard input.
   */
  protocol: z._default(z.enum(['acp', 'stdin']), 'stdin'),
  /** Whether an agent that asks for permission may run commands. */
  mayRunCommands: z._default(z.boolean(), false),
  /** Whether agents load their own settings from the repository: hooks, servers, permissions, addresses. */
  repositoryAgentSettings: z._default(z.boolean(), false),
  /** Names of environment variables passed to the agent in addition to the few that every program gets. */
  variables: z._default(z.array(z.string().check(z.regex(VARIABLE_NAME))), []),
  /** Whether agents run in the user's own `srt` sandbox: where it can be used, always or not at all, or never. */
  confine: z._default(z.enum(CONFINEMENTS), 'auto'),
  /** Hosts that a sandboxed agent may reach in addition to those of its model. */
  allowedHosts: z._default(z.array(z.string().check(z.regex(ALLOWED_HOST))), []),
  /** Folders that a sandboxed agent may write to in addition to its work. A path may start with `~/`. */
  writableFolders: z._default(z.array(z.string().check(z.regex(WRITABLE_FOLDER))), []),
  /** Whether branches are pushed and pull requests opened; otherwise a job ends with the review page. */
  publish: z._default(z.boolean(), true),
  /** Whether the descriptions of pull requests say what the check of the added lines has found. */
  checkInPullRequest: z._default(z.boolean(), false),
});
export type ProjectSettings = z.infer<typeof projectSettingsSchema>;

/** The body of the two POSTs of the agent job API. */
export const promptSchema = z.object({
  prompt: visibleText('What the agent is to do, in at least one visible character.'),
});

/** The query of `GET …/jobs`: the page size, and the job after which the page starts. */
export const listQuerySchema = z.object({
  limit: z._default(z.string().check(z.regex(/^([1-9]\d?|1\d\d|200)$/)), '50'),
  before: z.optional(z.string().check(z.regex(LOCAL_ID))),
});

/** The query of `GET …/events`: whether the stream goes on after the existing events. */
export const followQuerySchema = z.object({ follow: withFallback(z.enum(['true', 'false']), 'true') });

/** `POST …/job/{id}/archive`; with `discard`, work that is in no branch is deleted with the job's folder. */
export const archiveSchema = z.object({ discard: z._default(z.boolean(), false) });

/** `POST …/job/{id}/review-link`: a URL that opens the job's review page in a browser, once and within two minutes. */
export const reviewLinkSchema = z.object({ url: z.url() });

/** `GET …/job/{id}/merge`: what a merge would do now. The `POST` sends `commit`, `into`, and `head` back. */
export const mergePreviewSchema = z.object({
  /** What the merge would do or why it isn't possible, in English. */
  text: z.string(),
  coded: codedField,
  /** The commit with the job's work. */
  commit: z.string(),
  /** The branch to merge into and its commit; empty when there is none. */
  into: z.string(),
  head: z.string(),
  /** The job's branch if the merge would delete it. */
  deletes: z.nullable(z.string()),
});
export type MergeForecast = z.infer<typeof mergePreviewSchema>;

/** `POST …/job/{id}/merge`: the state that the user saw. Refused if it has changed since. */
export const mergeRequestSchema = z.object({
  commit: z.string().check(z.regex(/^[0-9a-f]{40,64}$/)),
  into: z.string().check(maxLength(4_096)),
  head: z.string().check(z.regex(/^([0-9a-f]{40,64})?$/)),
});
export type MergeRequest = z.infer<typeof mergeRequestSchema>;

/**
 * The answer to that: the branch that now contains the work, and the job's branch if it was deleted, whose commit is
 * kept; null if the branch is still there.
 */
export const mergedSchema = z.object({
  branch: z.string(),
  deleted: z.nullable(z.object({ branch: z.string(), commit: z.string() })),
});
export type MergedWork = z.infer<typeof mergedSchema>;

/** `POST …/job/{id}/undo-merge`: the branch that was moved back; null if no branch contained the merge. */
export const undoneMergeSchema = z.object({ branch: z.nullable(z.string()) });
export type UndoneMerge = z.infer<typeof undoneMergeSchema>;

/**
 * `PUT /local/projects`: registers the repository that contains `folder` as a project, or finds the existing one, and
 * sets how its jobs are run. Without settings, those of the project stay. A key limited to single projects can't change
 * them.
 */
export const registerProjectSchema = z.object({
  folder: z.string().check(minLength(1)),
  settings: z.optional(projectSettingsSchema),
});
export type RegisterProject = z.input<typeof registerProjectSchema>;

/** A Git host such as github.com; `kind` is null if unknown. */
const codeHostSchema = z.object({ host: z.string(), kind: z.nullable(z.string()) });

/**
 * The answer to `PUT /local/projects`. `dirty` is true if the checkout has uncommitted work, which the agent does not
 * see; `host` is where its branches are pushed, null for none.
 */
export const registeredProjectSchema = z.object({
  projectId: z.string().check(z.regex(LOCAL_ID)),
  name: z.string(),
  dirty: z.boolean(),
  host: z.nullable(codeHostSchema),
  /** The agent that runs its jobs; null if none is installed. */
  agent: z.nullable(z.object({ name: z.string(), title: z.string() })),
});
export type RegisteredProject = z.infer<typeof registeredProjectSchema>;

/** `PUT /local/projects/{id}/settings` with ProjectSettings: how its jobs are run from the next turn on. */
export const projectAnswerSchema = z.object({
  host: registeredProjectSchema.shape.host,
  agent: registeredProjectSchema.shape.agent,
});
export type ProjectAnswer = z.infer<typeof projectAnswerSchema>;
export type CodeHost = z.infer<typeof codeHostSchema>;

/**
 * `GET /local/agents`: each known agent. `path` is its program; it is null if missing, and then `how` says how to get
 * it.
 */
const foundAgentSchema = z.object({
  name: z.string(),
  title: z.string(),
  path: z.nullable(z.string()),
  how: z.string(),
  coded: codedField,
});
export type FoundAgent = z.infer<typeof foundAgentSchema>;

/**
 * `chosen` is the agent that `auto` selects; null if none is installed. `sandbox` says why the sandbox can't be used; null
 * if it can.
 */
export const agentsAnswerSchema = z.object({
  agents: z.array(foundAgentSchema),
  chosen: z.nullable(z.string()),
  sandbox: z.nullable(z.object({ why: z.string(), coded: codedField })),
});
export type AgentsAnswer = z.infer<typeof agentsAnswerSchema>;

/** `GET /local/storage`: the disk space used by job folders. */
export const storageAnswerSchema = z.object({
  bytes: z.number(),
  jobs: z.array(
    z.object({
      jobId: z.string(),
      projectId: z.string(),
      /** The first line of its prompt. */
      title: z.string(),
      /** Also `archived`. */
      status: z.string(),
      folder: z.string(),
      bytes: z.number(),
    }),
  ),
});
export type StorageAnswer = z.infer<typeof storageAnswerSchema>;

/**
 * Why a job was not archived: its folder has work that is in no branch. A request with `discard` archives it anyway.
 */
export const archiveRefusalSchema = z.object({ error: z.string(), canDiscard: z.literal(true) });

/**
 * `PUT /local/tokens`: a token for the API of a Git host, kept in memory only. `DELETE /local/tokens/{host}` forgets
 * it.
 */
export const hostTokenSchema = z.object({
  /** Includes the port if the URL has one. */
  host: z.string().check(z.regex(/^[a-z0-9.-]+(:\d{1,5})?$/)),
  token: z.string().check(minLength(1), maxLength(4096)),
  /** For hosts that require a username with the token when pushing over HTTPS. */
  username: z.optional(z.string().check(maxLength(200))),
});
export type HostToken = z.infer<typeof hostTokenSchema>;

/**
 * `GET /local/events`: the data of each server-sent event. Says only that a job changed: the client then requests its
 * state.
 */
export const jobEventSchema = z.object({
  projectId: z.string().check(maxLength(64)),
  jobId: z.string().check(maxLength(64)),
  /** Also `archived`. */
  status: z.string().check(maxLength(100)),
});
export type JobChangedEvent = z.infer<typeof jobEventSchema>;

/**
 * `POST /local/shutdown`; an empty body means now. With `idle`, the service keeps running until the last turn has
 * ended.
 */
export const shutdownSchema = z.object({ when: z._default(z.enum(['now', 'idle']), 'now') });

/** `GET /local/tokens`: the hosts for which there are tokens. */
export const tokenHostsSchema = z.object({ hosts: z.array(z.string()) });
