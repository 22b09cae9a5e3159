import * as z from 'zod/mini';
import { changesSchema } from '../../protocol/changes';
import { codedFieldsSchema, codedTextSchema } from '../../protocol/codedSchema';
import {
  agentsAnswerSchema,
  archiveSchema,
  hostTokenSchema,
  jobEventSchema,
  listQuerySchema,
  LOCAL_ID,
  projectAnswerSchema,
  projectSettingsSchema,
  promptSchema,
  registeredProjectSchema,
  registerProjectSchema,
  reviewLinkSchema,
  shutdownSchema,
  storageAnswerSchema,
  tokenHostsSchema,
} from '../../protocol/localService';
import { storyEventSchema } from '../../protocol/story';

/** A job as this service returns it. */
export const answeredJobSchema = z.object({
  id: z.string().check(z.regex(LOCAL_ID)),
  status: z.enum(['active', 'completed', 'failed', 'archived']),
  /** The branch (`ref`) is null until it is published. */
  source: z.object({ repository: z.string(), ref: z.nullable(z.string()) }),
  model: z.string(),
  prLink: z.nullable(z.url()),
  createdAt: z.iso.datetime(),
  archivedAt: z.nullable(z.iso.datetime()),
  /** The number of messages so far, including the first prompt. */
  turn: z.int().check(z.minimum(1)),
  /** Why it failed. */
  error: z.optional(z.string()),
  /** True when it failed because the user stopped it. */
  stopped: z.optional(z.literal(true)),
  /** What the user should know about the last publication. */
  note: z.optional(z.string()),
  /** What the user did with the work on the review page. */
  review: z.optional(z.enum(['merged', 'closed'])),
  coded: z.optional(codedFieldsSchema),
});

export const jobPageSchema = z.object({ jobs: z.array(answeredJobSchema), next: z.nullable(z.string()) });

const errorSchema = z.object({
  error: z.string(),
  /** Set when archiving was refused because of uncommitted work, which `discard` would delete. */
  canDiscard: z.optional(z.boolean()),
  /** The error as a code with parameters, for errors that are shown to the user. */
  coded: z.optional(codedTextSchema),
});
const emptySchema = z.object({});

/** Schemas that have a name in the OpenAPI document. */
export const NAMED = {
  Job: answeredJobSchema,
  JobPage: jobPageSchema,
  Prompt: promptSchema,
  Archive: archiveSchema,
  StoryEvent: storyEventSchema,
  JobEvent: jobEventSchema,
  Changes: changesSchema,
  ReviewLink: reviewLinkSchema,
  RegisterProject: registerProjectSchema,
  RegisteredProject: registeredProjectSchema,
  ProjectSettings: projectSettingsSchema,
  ProjectAnswer: projectAnswerSchema,
  Agents: agentsAnswerSchema,
  Storage: storageAnswerSchema,
  HostToken: hostTokenSchema,
  TokenHosts: tokenHostsSchema,
  Shutdown: shutdownSchema,
  Empty: emptySchema,
  Error: errorSchema,
} as const;

export type SchemaName = keyof typeof NAMED;

/** One route: its input and its responses. */
export interface Operation {
  method: 'get' | 'put' | 'post' | 'delete';
  /** With `{name}` for a parameter. */
  path: string;
  id: string;
  summary: string;
  body?: SchemaName;
  /** Whether the body may be omitted. */
  isBodyOptional?: boolean;
  query?: Record<string, { schema: object; about: string }>;
  headers?: Record<string, string>;
  /** Status and schema of the success response. Event streams have the type `text/event-stream`. */
  answer: { status: 200 | 201 | 202 | 204; schema?: SchemaName; type?: string };
  /** Error statuses beyond 401 and 403. */
  refusals: readonly number[];
}

const JOB = '/v2/agent/{projectId}/job';
const page = z.toJSONSchema(listQuerySchema, { io: 'input' }).properties ?? {};
const job = { status: 200, schema: 'Job' } as const;

/** All routes that need a key. */
export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: JOB,
    id: 'createJob',
    summary: 'Make a job. It is on disk when this answers.',
    body: 'Prompt',
    answer: { status: 201, schema: 'Job' },
    refusals: [400, 404, 413, 415, 429],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}`,
    id: 'retrieveJob',
    summary: 'Look at a job.',
    answer: job,
    refusals: [404],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/message`,
    id: 'sendMessage',
    summary: 'Send a follow-up. A job that is active stops what it does and goes on with this.',
    body: 'Prompt',
    answer: job,
    refusals: [400, 404, 413, 415, 429],
  },
  {
    method: 'get',
    path: '/v2/agent/{projectId}/jobs',
    id: 'listJobs',
    summary: 'List the jobs of a project, newest first.',
    query: {
      limit: { schema: page['limit'] as object, about: 'How many at most, from 1 to 200.' },
      before: { schema: page['before'] as object, about: 'The `next` of the page before.' },
    },
    answer: { status: 200, schema: 'JobPage' },
    refusals: [400, 404],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/events`,
    id: 'followJob',
    summary: 'The story of a job as server-sent events: what was, then what happens. The data of each is a StoryEvent.',
    query: {
      follow: { schema: { enum: ['true', 'false'], default: 'true' }, about: 'With false it ends with what was.' },
    },
    headers: { 'Last-Event-ID': 'Go on after this event.' },
    answer: { status: 200, schema: 'StoryEvent', type: 'text/event-stream' },
    refusals: [404, 429],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/cancel`,
    id: 'cancelJob',
    summary: 'Stop what a job does, or waits for. One that has ended stays as it is.',
    answer: job,
    refusals: [404],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/changes`,
    id: 'readChanges',
    summary: 'Which files a job has changed, by how many lines, as far as it is committed.',
    answer: { status: 200, schema: 'Changes' },
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/review-link`,
    id: 'openReview',
    summary: 'Get an address that opens the review page of a job in a browser: once, and within two minutes.',
    answer: { status: 200, schema: 'ReviewLink' },
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/archive`,
    id: 'archiveJob',
    summary:
      'Archive a job and remove its folders; refused while work in them is nowhere else. Where the refusal says `canDiscard`, `discard` deletes what is not committed.',
    body: 'Archive',
    isBodyOptional: true,
    answer: job,
    refusals: [400, 404, 409, 413, 415],
  },
  {
    method: 'put',
    path: '/local/projects',
    id: 'registerProject',
    summary: 'Make the repository that holds a folder a project, or find it again, and say how its jobs are done.',
    body: 'RegisterProject',
    answer: { status: 200, schema: 'RegisteredProject' },
    refusals: [400, 413, 415],
  },
  {
    method: 'get',
    path: '/local/projects/{projectId}/settings',
    id: 'readSettings',
    summary: 'How the jobs of a project are done.',
    answer: { status: 200, schema: 'ProjectSettings' },
    refusals: [404],
  },
  {
    method: 'put',
    path: '/local/projects/{projectId}/settings',
    id: 'writeSettings',
    summary: 'Say how the jobs of a project are done, from their next message on.',
    body: 'ProjectSettings',
    answer: { status: 200, schema: 'ProjectAnswer' },
    refusals: [400, 404, 413, 415],
  },
  {
    method: 'get',
    path: '/local/agents',
    id: 'listAgents',
    summary: 'Which coding agents are known, and which of them are installed.',
    answer: { status: 200, schema: 'Agents' },
    refusals: [],
  },
  {
    method: 'get',
    path: '/local/storage',
    id: 'measureStorage',
    summary: 'What the folders of jobs take on this disk.',
    answer: { status: 200, schema: 'Storage' },
    refusals: [],
  },
  {
    method: 'get',
    path: '/local/events',
    id: 'followJobs',
    summary: 'Which jobs of all projects change from now on, as server-sent events. The data of each is a JobEvent.',
    answer: { status: 200, schema: 'JobEvent', type: 'text/event-stream' },
    refusals: [429],
  },
  {
    method: 'get',
    path: '/local/tokens',
    id: 'listTokens',
    summary: 'For which code hosts there are tokens.',
    answer: { status: 200, schema: 'TokenHosts' },
    refusals: [],
  },
  {
    method: 'put',
    path: '/local/tokens',
    id: 'giveToken',
    summary: 'Give a token for a code host. It is kept in memory only.',
    body: 'HostToken',
    answer: { status: 204 },
    refusals: [400, 413, 415],
  },
  {
    method: 'delete',
    path: '/local/tokens/{host}',
    id: 'forgetToken',
    summary: 'Forget the token of a code host.',
    answer: { status: 204 },
    refusals: [],
  },
  {
    method: 'post',
    path: '/local/shutdown',
    id: 'shutDown',
    summary: 'End the service: now, which leaves work to its next start, or when its last turn has ended.',
    body: 'Shutdown',
    isBodyOptional: true,
    answer: { status: 202, schema: 'Empty' },
    refusals: [400, 413, 415],
  },
];
