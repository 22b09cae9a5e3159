import * as z from 'zod/mini';
import { imageQuerySchema } from '../../protocol/diff';
import { listQuerySchema } from '../../protocol/localService';
import type { SchemaName } from './schemas';

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
const image = z.toJSONSchema(imageQuerySchema).properties ?? {};
const job = { status: 200, schema: 'Job' } as const;

/** All routes that need a key. */
export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: JOB,
    id: 'createJob',
    summary: 'Create a job. It is saved to disk before the response is sent.',
    body: 'Prompt',
    answer: { status: 201, schema: 'Job' },
    refusals: [400, 404, 413, 415, 429],
  },
  { method: 'get', path: `${JOB}/{jobId}`, id: 'retrieveJob', summary: 'Get a job.', answer: job, refusals: [404] },
  {
    method: 'post',
    path: `${JOB}/{jobId}/message`,
    id: 'sendMessage',
    summary: 'Send a follow-up. If the job is active, its current run is interrupted.',
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
      limit: { schema: page['limit'] as object, about: 'Maximum number of jobs, from 1 to 200.' },
      before: { schema: page['before'] as object, about: 'The `next` of the previous page.' },
    },
    answer: { status: 200, schema: 'JobPage' },
    refusals: [400, 404],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/events`,
    id: 'followJob',
    summary:
      'Follow the activity log of a job as server-sent events: past entries, then new ones. The data of each is a StoryEvent.',
    query: {
      follow: {
        schema: { enum: ['true', 'false'], default: 'true' },
        about: 'If false, the stream ends after the past entries.',
      },
    },
    headers: { 'Last-Event-ID': 'Resume after this event.' },
    answer: { status: 200, schema: 'StoryEvent', type: 'text/event-stream' },
    refusals: [404, 503],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/cancel`,
    id: 'cancelJob',
    summary: 'Stop the current or queued run of a job. A finished job isn’t changed.',
    answer: job,
    refusals: [404],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/changes`,
    id: 'readChanges',
    summary: 'List the files that a job changed and committed, with line counts.',
    answer: { status: 200, schema: 'Changes' },
    refusals: [404, 409],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/diff`,
    id: 'readDiff',
    summary: 'Get the committed changes of a job as Git patches without context. Large diffs are truncated.',
    answer: { status: 200, schema: 'Diff' },
    refusals: [404, 409],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/image`,
    id: 'readImage',
    summary: 'Get an image before or after the changes of a job, in Base64.',
    query: {
      path: { schema: image['path'] as object, about: 'Its path in the repository.' },
      of: { schema: image['of'] as object, about: 'Before or after the changes.' },
    },
    answer: { status: 200, schema: 'Image' },
    refusals: [400, 404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/review-link`,
    id: 'openReview',
    summary: 'Get a one-time URL for a job’s review page. It expires after two minutes.',
    answer: { status: 200, schema: 'ReviewLink' },
    refusals: [404, 409],
  },
  {
    method: 'get',
    path: `${JOB}/{jobId}/merge`,
    id: 'previewMerge',
    summary: 'Preview what merging a job’s work would do. Changes nothing.',
    answer: { status: 200, schema: 'MergePreview' },
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/merge`,
    id: 'mergeJob',
    summary:
      'Merge a job’s work into the user’s branch. Refused if the work, the branch, or its commit no longer matches the body, or if uncommitted changes or conflicts are in the way.',
    body: 'MergeRequest',
    answer: { status: 200, schema: 'Merged' },
    refusals: [400, 404, 409, 413, 415],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/undo-merge`,
    id: 'undoMerge',
    summary:
      'Move the branch back to the commit before a job’s work was merged, restore the job’s branch, and reopen the job. Refused if the branch has later commits or was pushed, or if uncommitted changes are in the way.',
    answer: { status: 200, schema: 'UndoneMerge' },
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/close`,
    id: 'closeJob',
    summary: 'Close the review of a job without merging its work. The branch is kept.',
    answer: job,
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/reopen`,
    id: 'reopenJob',
    summary: 'Reopen a closed review. Refused for merged work.',
    answer: job,
    refusals: [404, 409],
  },
  {
    method: 'post',
    path: `${JOB}/{jobId}/archive`,
    id: 'archiveJob',
    summary:
      'Archive a job and remove its folders. Refused if they contain work that exists nowhere else. If the refusal includes `canDiscard`, `discard` deletes uncommitted work.',
    body: 'Archive',
    isBodyOptional: true,
    answer: job,
    refusals: [400, 404, 409, 413, 415],
  },
  {
    method: 'put',
    path: '/local/projects',
    id: 'registerProject',
    summary: 'Register the repository of a folder as a project, or find it, and set its job settings.',
    body: 'RegisterProject',
    answer: { status: 200, schema: 'RegisteredProject' },
    refusals: [400, 413, 415],
  },
  {
    method: 'get',
    path: '/local/projects/{projectId}/settings',
    id: 'readSettings',
    summary: 'Get the job settings of a project.',
    answer: { status: 200, schema: 'ProjectSettings' },
    refusals: [404],
  },
  {
    method: 'put',
    path: '/local/projects/{projectId}/settings',
    id: 'writeSettings',
    summary: 'Change the job settings of a project, effective with the next run.',
    body: 'ProjectSettings',
    answer: { status: 200, schema: 'ProjectAnswer' },
    refusals: [400, 404, 413, 415],
  },
  {
    method: 'get',
    path: '/local/agents',
    id: 'listAgents',
    summary: 'List the known coding agents and which of them are installed.',
    answer: { status: 200, schema: 'Agents' },
    refusals: [],
  },
  {
    method: 'get',
    path: '/local/storage',
    id: 'measureStorage',
    summary: 'Get the disk usage of job folders.',
    answer: { status: 200, schema: 'Storage' },
    refusals: [],
  },
  {
    method: 'get',
    path: '/local/events',
    id: 'followJobs',
    summary: 'Follow changes to jobs in all projects as server-sent events. The data of each is a JobEvent.',
    answer: { status: 200, schema: 'JobEvent', type: 'text/event-stream' },
    refusals: [429],
  },
  {
    method: 'get',
    path: '/local/tokens',
    id: 'listTokens',
    summary: 'List the Git hosts that have tokens.',
    answer: { status: 200, schema: 'TokenHosts' },
    refusals: [],
  },
  {
    method: 'put',
    path: '/local/tokens',
    id: 'giveToken',
    summary: 'Set the token for a Git host. It is kept in memory only.',
    body: 'HostToken',
    answer: { status: 204 },
    refusals: [400, 413, 415],
  },
  {
    method: 'delete',
    path: '/local/tokens/{host}',
    id: 'forgetToken',
    summary: 'Remove the token of a Git host.',
    answer: { status: 204 },
    refusals: [],
  },
  {
    method: 'post',
    path: '/local/shutdown',
    id: 'shutDown',
    summary: 'Stop the service, either now (unfinished work resumes at the next start) or after its last run.',
    body: 'Shutdown',
    isBodyOptional: true,
    answer: { status: 202, schema: 'Empty' },
    refusals: [400, 413, 415],
  },
];
