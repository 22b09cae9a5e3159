import * as z from 'zod/mini';
import { decodeJson } from '../../base/json';
import { maxLength } from '../../base/lengthChecks';
import { READ_MS } from '../../base/limits';
import { GitError, type RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';

/** The file with a repository's rules for jobs, relative to the repository. It can name no program. */
const RULES_FILE = '.docs-agent/settings.json';
/** Of that file, in bytes. */
const MAX_BYTES = 64 * 1024;
/** Of a prefix, in characters: the rest of the line is for the subject. */
const MAX_PREFIX = 40;

const schema = z.strictObject({
  $schema: z.optional(z.string().check(maxLength(500))),
  commits: z.optional(
    z.strictObject({
      /** Whether each commit is signed off by its author. */
      signOff: z.optional(z.boolean()),
      /** What the first line of each message starts with. */
      subjectPrefix: z.optional(z.string().check(maxLength(MAX_PREFIX), z.regex(/^[^\p{Cc}]*$/u))),
      /** Whether commits are signed with the user's own key. */
      sign: z.optional(z.boolean()),
    }),
  ),
});

export type CommitRules = NonNullable<z.infer<typeof schema>['commits']>;

/**
 * Reads a repository's rules for commits as they are in a commit that a job is based on, so that an agent can't change
 * them. What can't be used is ignored, with a note for the user.
 */
export async function readCommitRules(
  run: RunGit,
  base: string | null,
): Promise<{ rules: CommitRules; note?: CodedText | undefined }> {
  const limits = { maxBytes: MAX_BYTES, timeoutMs: READ_MS };
  const name = `${base ?? 'HEAD'}:${RULES_FILE}`;
  const text = await run(['cat-file', 'blob', name], limits).catch((error: unknown) => {
    if (error instanceof GitError) {
      // It isn't there, or it is too large.
      return error.exitCode === undefined ? '' : undefined;
    }
    throw error;
  });
  if (text === undefined) {
    return { rules: {} };
  }
  const read = schema.safeParse(decodeJson(text));
  if (read.success) {
    return { rules: read.data.commits ?? {} };
  }
  const [issue] = read.error.issues;
  const names = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])];
  const where = names.length === 0 ? '' : ` (${names.join('.').slice(0, 100)})`;
  return { rules: {}, note: coded('rulesIgnored', { file: RULES_FILE, where }) };
}
