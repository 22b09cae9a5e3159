import * as z from 'zod/mini';
import { activityEventSchema } from './activity';
import { changeCountsSchema, changesSchema, diffSchema, imageQuerySchema, imageSchema } from './changes';
import { surroundingsSchema } from './surroundings';
import { codedFieldsSchema, codedTextSchema, usageSchema } from './fieldSchemas';
import {
  agentsAnswerSchema,
  archiveSchema,
  followQuerySchema,
  hostTokenSchema,
  jobEventSchema,
  listQuerySchema,
  LOCAL_ID,
  mergedSchema,
  mergePreviewSchema,
  mergeRequestSchema,
  projectAnswerSchema,
  projectSettingsSchema,
  promptSchema,
  registeredProjectSchema,
  registerProjectSchema,
  reviewLinkSchema,
  shutdownSchema,
  storageAnswerSchema,
  tokenHostsSchema,
  undoneMergeSchema,
} from './localService';

/** A job as our services return it. Clients read any service's job with `parseJob`. */
const jobSchema = z.object({
  id: z.string().check(z.regex(LOCAL_ID)),
  /** The first line of its prompt. */
  title: z.optional(z.string()),
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
  /** What the user has decided about the work. */
  review: z.optional(z.enum(['merged', 'closed'])),
  /** What its newest commit changes. */
  changes: z.optional(changeCountsSchema),
  /** Its tokens and cost, as far as its agents report them. */
  usage: z.optional(usageSchema),
  coded: z.optional(codedFieldsSchema),
  /** What others have done around it, and work that isn’t in a branch. */
  surroundings: z.optional(surroundingsSchema),
});

const jobPageSchema = z.object({ jobs: z.array(jobSchema), next: z.nullable(z.string()) });

const errorSchema = z.object({
  error: z.string(),
  /** Set when archiving was refused because of uncommitted work, which `discard` would delete. */
  canDiscard: z.optional(z.boolean()),
  /** The error as a code with parameters, for errors that are shown to the user. */
  coded: z.optional(codedTextSchema),
});
const emptySchema = z.object({});

/** What the table of routes names. Each has the same name in the OpenAPI document. */
export const SCHEMAS = {
  Job: jobSchema,
  JobPage: jobPageSchema,
  Prompt: promptSchema,
  ListQuery: listQuerySchema,
  FollowQuery: followQuerySchema,
  Archive: archiveSchema,
  ActivityEvent: activityEventSchema,
  JobEvent: jobEventSchema,
  Changes: changesSchema,
  Diff: diffSchema,
  ImageQuery: imageQuerySchema,
  Image: imageSchema,
  ReviewLink: reviewLinkSchema,
  MergePreview: mergePreviewSchema,
  MergeRequest: mergeRequestSchema,
  Merged: mergedSchema,
  UndoneMerge: undoneMergeSchema,
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

export type SchemaName = keyof typeof SCHEMAS;
export type Value<Name extends SchemaName> = z.output<(typeof SCHEMAS)[Name]>;
