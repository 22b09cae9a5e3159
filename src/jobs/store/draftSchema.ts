import * as z from 'zod/mini';

/** The file version that this build writes and reads. */
export const DRAFT_VERSION = 1;

/** The content of a draft's file. */
export const draftSchema = z.object({ version: z.literal(DRAFT_VERSION), target: z.string(), text: z.string() });

/** Distinguishes a file of a newer build from a damaged one. */
export const newerDraftSchema = z.object({ version: z.number().check(z.gt(DRAFT_VERSION)) });
