import type { SchemaName } from './schemas';
import { isPathSafeId } from './status';

type Method = 'get' | 'put' | 'post' | 'delete';

interface RouteOptions {
  body?: SchemaName;
  /** Whether the body may be omitted. */
  isBodyOptional?: true;
  query?: SchemaName;
  headers?: readonly string[];
  /** Absent for 204, which has no body. */
  answer?: SchemaName;
  /** Of the success response; 200 if absent. */
  status?: 201 | 202 | 204;
  /** Whether the response is a stream of server-sent events, whose data have the schema of the answer. */
  isStream?: true;
  /** Error statuses beyond those that the path and the body bring about. */
  errors?: readonly number[];
}

/** One row of the table. */
export interface Route extends RouteOptions {
  method: Method;
  /** With `{name}` for a parameter. */
  path: string;
  summary: string;
}

function routeBy<const M extends Method>(method: M) {
  return <const P extends string, const O extends RouteOptions>(path: P, options: O, summary: string) => ({
    method,
    path,
    summary,
    ...options,
  });
}
const [get, put, post] = [routeBy('get'), routeBy('put'), routeBy('post')];

const JOB = '/v2/agent/{projectId}/job';
const A_JOB = `${JOB}/{jobId}` as const;
const SETTINGS = '/local/projects/{projectId}/settings';

/**
 * All routes that need a key. Handlers, 405, validation, the OpenAPI document, and the paths of the client are made from
 * this table. A hosted service has the first three; what a service has beyond them is in its document.
 */
export const ROUTES = {
  createJob: post(
    JOB,
    { body: 'Prompt', answer: 'Job', status: 201, errors: [429] },
    'Create a job. It is saved to disk before the response is sent.',
  ),
  retrieveJob: get(A_JOB, { answer: 'Job' }, 'Get a job.'),
  sendMessage: post(
    `${A_JOB}/message`,
    { body: 'Prompt', answer: 'Job', errors: [429] },
    'Send a follow-up. If the job is active, its current run is interrupted.',
  ),
  listJobs: get(
    '/v2/agent/{projectId}/jobs',
    { query: 'ListQuery', answer: 'JobPage', errors: [400] },
    'List the jobs of a project, newest first.',
  ),
  followJob: get(
    `${A_JOB}/events`,
    { query: 'FollowQuery', headers: ['Last-Event-ID'], answer: 'ActivityEvent', isStream: true, errors: [503] },
    'Follow the activity log of a job as server-sent events: past entries, then new ones. The data of each is a ActivityEvent.',
  ),
  cancelJob: post(
    `${A_JOB}/cancel`,
    { answer: 'Job' },
    'Stop the current or queued run of a job. A finished job isn’t changed.',
  ),
  readChanges: get(
    `${A_JOB}/changes`,
    { answer: 'Changes', errors: [409] },
    'List the files that a job changed and committed, with line counts.',
  ),
  readDiff: get(
    `${A_JOB}/diff`,
    { answer: 'Diff', errors: [409] },
    'Get the committed changes of a job as Git patches without context. Large diffs are truncated.',
  ),
  readImage: get(
    `${A_JOB}/image`,
    { query: 'ImageQuery', answer: 'Image', errors: [400, 409] },
    'Get an image before or after the changes of a job, in Base64.',
  ),
  openReview: post(
    `${A_JOB}/review-link`,
    { answer: 'ReviewLink', errors: [409] },
    'Get a one-time URL for a job’s review page. It expires after two minutes.',
  ),
  previewMerge: get(
    `${A_JOB}/merge`,
    { answer: 'MergePreview', errors: [409] },
    'Preview what merging a job’s work would do. Changes nothing.',
  ),
  mergeJob: post(
    `${A_JOB}/merge`,
    { body: 'MergeRequest', answer: 'Merged', errors: [409] },
    'Merge a job’s work into the user’s branch. Refused if the work, the branch, or its commit no longer matches the body, or if uncommitted changes or conflicts are in the way.',
  ),
  undoMerge: post(
    `${A_JOB}/undo-merge`,
    { answer: 'UndoneMerge', errors: [409] },
    'Move the branch back to the commit before a job’s work was merged, restore the job’s branch, and reopen the job. Refused if the branch has later commits or was pushed, or if uncommitted changes are in the way.',
  ),
  closeJob: post(
    `${A_JOB}/close`,
    { answer: 'Job', errors: [409] },
    'Close the review of a job without merging its work. The branch is kept.',
  ),
  reopenJob: post(
    `${A_JOB}/reopen`,
    { answer: 'Job', errors: [409] },
    'Reopen a closed review. Refused for merged work.',
  ),
  updateJob: post(
    `${A_JOB}/update`,
    { answer: 'Job', errors: [409] },
    'Bring the new commits of the target branch into a job’s branch, without a prompt. Refused if they conflict with the job’s work: send a follow-up then.',
  ),
  keepWork: post(
    `${A_JOB}/keep`,
    { answer: 'Job', errors: [409] },
    'Commit to the job’s branch what its ended run has left, and bring the branch into the user’s repository. Pushes nothing.',
  ),
  discardWork: post(
    `${A_JOB}/discard`,
    { answer: 'Job', errors: [409] },
    'Discard what a job’s ended run has left: its folder is put back to the last commit. Files that Git ignores stay.',
  ),
  archiveJob: post(
    `${A_JOB}/archive`,
    { body: 'Archive', isBodyOptional: true, answer: 'Job', errors: [409] },
    'Archive a job and remove its folders. Refused if they contain work that exists nowhere else. If the refusal includes `canDiscard`, `discard` deletes uncommitted work.',
  ),
  unarchiveJob: post(
    `${A_JOB}/unarchive`,
    { answer: 'Job' },
    'Undo the archiving of a job. Its folders stay removed until a follow-up continues from its branch.',
  ),
  registerProject: put(
    '/local/projects',
    { body: 'RegisterProject', answer: 'RegisteredProject' },
    'Register the repository of a folder as a project, or find it, and set its job settings.',
  ),
  readSettings: get(SETTINGS, { answer: 'ProjectSettings' }, 'Get the job settings of a project.'),
  writeSettings: put(
    SETTINGS,
    { body: 'ProjectSettings', answer: 'ProjectAnswer' },
    'Change the job settings of a project, effective with the next run.',
  ),
  listAgents: get(
    '/local/agents',
    { answer: 'Agents' },
    'List the known coding agents and which of them are installed.',
  ),
  measureStorage: get('/local/storage', { answer: 'Storage' }, 'Get the disk usage of job folders.'),
  findJob: get('/local/jobs/{jobId}', { answer: 'JobEvent' }, 'Get the project and the status of a job.'),
  followJobs: get(
    '/local/events',
    { answer: 'JobEvent', isStream: true, errors: [429] },
    'Follow changes to jobs in all projects as server-sent events. The data of each is a JobEvent.',
  ),
  listTokens: get('/local/tokens', { answer: 'TokenHosts' }, 'List the Git hosts that have tokens.'),
  giveToken: put(
    '/local/tokens',
    { body: 'HostToken', status: 204 },
    'Set the token for a Git host. It is kept in memory only.',
  ),
  forgetToken: routeBy('delete')('/local/tokens/{host}', { status: 204 }, 'Remove the token of a Git host.'),
  shutDown: post(
    '/local/shutdown',
    { body: 'Shutdown', isBodyOptional: true, answer: 'Empty', status: 202 },
    'Stop the service, either now (unfinished work resumes at the next start) or after its last run.',
  ),
} as const satisfies Readonly<Record<string, Route>>;

export type RouteId = keyof typeof ROUTES;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
export type PathParameters<Id extends RouteId> = Readonly<Record<NamesIn<(typeof ROUTES)[Id]['path']>, string>>;

/** The path of a route. Percent-encodes the parameters, and throws RangeError for one that can't be part of a path. */
export function pathOf<Id extends RouteId>(id: Id, parameters: PathParameters<Id>): string {
  return ROUTES[id].path.replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment((parameters as Readonly<Record<string, string>>)[name] ?? ''),
  );
}

/** Encodes an id for a path. Throws RangeError if that is impossible. */
export function pathSegment(id: string): string {
  if (!isPathSafeId(id)) {
    throw new RangeError('an ID that can’t be used in a path');
  }
  return encodeURIComponent(id);
}
