import * as z from 'zod/mini';
import { minLength } from '../../base/lengthChecks';
import { SEND_TIMES } from './sendTime';

/**
 * The arguments of commands. Key bindings, tasks and other extensions pass objects and strings; menus pass their own
 * types (a `Uri`, a tree row, an array of rows). An argument of any other shape counts as none.
 */
const text = z.string().check(minLength(1));

const jobShape = z.union([
  text,
  z.pipe(
    z.object({ jobId: text }),
    z.transform((value) => value.jobId),
  ),
  // A tree row carries the job's key.
  z.pipe(
    z.object({ jobKey: text }),
    z.transform((value) => value.jobKey),
  ),
]);
const when = z.optional(z.enum(SEND_TIMES));
const rowShape = z.pipe(
  z.object({ jobKey: text }),
  z.transform((value) => value.jobKey),
);
const localPartShape = z.object({ show: z.enum(['agents', 'folders', 'gitHost']) });
const copyShape = z.object({ as: z.enum(['jobLink', 'pullRequestLink', 'markdown', 'jobId']) });
export type CopyFormat = z.infer<typeof copyShape>['as'];
const createShape = z.object({ prompt: z.optional(z.string()), project: z.optional(text) });
const selectionShape = z.object({
  instruction: z.optional(z.string()),
  project: z.optional(text),
  jobId: z.optional(text),
  when,
});
const followUpShape = z.object({ jobId: z.optional(text), prompt: z.optional(z.string()), when });
const composedShape = z.object({ prompt: z.optional(text), when });
const composeShape = z.object({ jobId: z.optional(text), text: z.optional(z.string()) });
const templateShape = z.object({ name: z.optional(text) });
const count = z.int().check(z.positive());
const placeShape = z.object({
  uri: z.optional(text),
  line: z.optional(count),
  column: z.optional(count),
  endLine: z.optional(count),
  endColumn: z.optional(count),
});
const connectShape = z.object({ service: z.optional(z.enum(['hosted', 'local'])) });
const trackShape = z.union([
  z.object({ jobId: text, project: z.optional(text) }),
  /** A link to a pull request or to a job. */
  z.object({ link: text }),
]);
const sendShape = z.object({ jobKey: text, promptId: text });
const changeShape = z.object({
  kind: z.optional(z.enum(['workingTree', 'staged', 'branch', 'commit'])),
  ref: z.optional(text),
  // The source control menu passes a `SourceControl`.
  rootUri: z.optional(z.object({ fsPath: text })),
  /** The file whose timeline was used. */
  timelineOf: z.optional(z.object({ fsPath: text })),
});
const viewShape = z.object({ view: z.optional(z.enum(['overview', 'changes', 'checkout'])) });
/** The text typed after a `#` in a prompt, to be replaced. */
const wordShape = z.object({ uri: text, line: z.int(), start: z.int(), text });
const kindShape = z.object({ kind: text });
/** A `Uri` of the editor, as its menus pass it. */
const uriShape = z.object({
  scheme: text,
  authority: z.string(),
  path: z.string(),
  query: z.string(),
  fragment: z.string(),
});
const filesShape = z.union([
  z.pipe(
    uriShape,
    z.transform((uri) => ({ uris: [uri], paths: [] as string[] })),
  ),
  z.pipe(
    z.array(uriShape).check(minLength(1)),
    z.transform((uris) => ({ uris, paths: [] as string[] })),
  ),
  z.pipe(
    z.object({ paths: z.array(text).check(minLength(1)) }),
    z.transform(({ paths }) => ({ uris: [], paths })),
  ),
]);
const problemsShape = z.object({ scope: z.enum(['selection', 'file', 'workspace']), uri: z.optional(uriShape) });
/** What `document` applies to; code actions pass it with a location. */
const documentShape = z.object({ what: z.enum(['page', 'symbol', 'update', 'file', 'comment', 'problem', 'changes']) });
export type DocumentWhat = z.infer<typeof documentShape>['what'];

/** Returns a function that reads the argument of a command; undefined for one of any other shape. */
export function reader<T>(shape: z.ZodMiniType<T>): (argument: unknown) => T | undefined {
  return (argument) => z.safeParse(shape, argument).data;
}

/** The `key` or `id` of the job in an argument. */
export const readJobName = reader(jobShape);
/** Like `readJobName`, for one job or an array; empty if none is named. */
export function readJobNames(argument: unknown): string[] {
  const all = Array.isArray(argument) ? argument : [argument];
  return all.map((each) => readJobName(each)).filter((name) => name !== undefined);
}
const selectedRows = z.object({ rows: z.literal('selected') });
/** Returns true if a command should act on the rows that are selected in the list. */
export function wantsSelectedRows(argument: unknown): boolean {
  return z.safeParse(selectedRows, argument).success;
}
const sinceShape = z.object({ since: z.literal('lastReview') });
/** Returns true if only what is new since the last review is meant. */
export function wantsNewChanges(argument: unknown): boolean {
  return z.safeParse(sinceShape, argument).success;
}
const previewFlag = z.object({ preview: z.literal(true) });
/** Returns true if a page should open as a preview, as after a click on a row. */
export function wantsPreview(argument: unknown): boolean {
  return z.safeParse(previewFlag, argument).success;
}
export const readCreate = reader(createShape);
export const readSelection = reader(selectionShape);
export const readFollowUp = reader(followUpShape);
/** The URI of the prompt document to send, and when to send it. */
export const readPromptToSend = reader(composedShape);
export const readCompose = reader(composeShape);
export const readTemplate = reader(templateShape);
/** A location in a file; lines and columns are 1-based. */
export const readPlace = reader(placeShape);
/** The service to set up. */
export const readConnect = reader(connectShape);
/** The row of a job, or its key. */
export const readRow = reader(rowShape);
export const readTrack = reader<{ jobId?: string; project?: string | undefined; link?: string }>(trackShape);
/** The row of a prompt that has not been accepted. */
export const readSend = reader(sendShape);
/** The kind of change, and its repository. */
export const readChange = reader(changeShape);
/** The part of the local service to manage. */
export const readLocalPart = reader(localPartShape);
/** The format to copy jobs in. */
export const readCopyFormat = reader(copyShape);
/** The file whose menu was used. */
export const readAddress = reader(uriShape);
/** The part of a pull request to show. */
export const readPullRequestView = reader(viewShape);
export const readContextKind = reader(kindShape);
const promptWordShape = z.object({ word: wordShape });
/** The word in a prompt that will be replaced. */
export const readPromptWord = reader(promptWordShape);
/** Files and folders, by URI or by workspace path. */
export interface NamedFiles {
  uris: z.infer<typeof uriShape>[];
  paths: string[];
}
export const readFiles = reader<NamedFiles>(filesShape);
/** The files whose problems are meant. */
export type NamedProblems = z.infer<typeof problemsShape>;
export const readProblems = reader<NamedProblems>(problemsShape);
export const readDocument = reader<z.infer<typeof documentShape>>(documentShape);
const findingsShape = z.object({ findings: z.array(z.int()) });
/** The numbers of findings in the Problems view. */
export const readFindings = reader(findingsShape);
