import * as z from 'zod/mini';
import { maxLength, minLength } from '../base/lengthChecks';
import { decodeJson } from '../base/json';
import { MAX_GLOB, MAX_GLOBS } from './globs';

/** The file with a repository's own settings, relative to the repository. */
export const CONFIGURATION_FILE = '.docs-agent/checks.json';

/** Maximum size of that file, in characters. */
const MAX_FILE = 200_000;

const glob = z.string().check(minLength(1), maxLength(MAX_GLOB));
const globs = z._default(z.array(glob).check(maxLength(MAX_GLOBS)), []);

const MAX_IGNORED = 2_000;

const schema = z.strictObject({
  $schema: z.optional(z.string().check(maxLength(500))),
  /** Names that are never reported, and why. */
  ignore: z._default(
    z
      .array(
        z.strictObject({
          name: z.string().check(minLength(1), maxLength(200)),
          reason: z.string().check(minLength(1), maxLength(500)),
        }),
      )
      .check(maxLength(MAX_IGNORED)),
    [],
  ),
  /** Globs of the pages that are checked; all pages when empty. */
  documentation: globs,
  /** Globs of the files that count as code; when empty, everything outside of the documentation. */
  code: globs,
});

export type ChecksConfiguration = z.infer<typeof schema>;

export const NO_CONFIGURATION: ChecksConfiguration = { ignore: [], documentation: [], code: [] };

/** The file exists, but can't be used. The message is for the user. */
export class ConfigurationError extends Error {}

/**
 * Throws ConfigurationError rather than ignore an error: a check with settings other than those in the file would be
 * misleading.
 */
export function readConfiguration(text: string): ChecksConfiguration {
  const value = text.length > MAX_FILE ? undefined : decodeJson(text);
  if (value === undefined) {
    throw new ConfigurationError(`“${CONFIGURATION_FILE}” isn’t valid JSON, or is too long.`);
  }
  const read = schema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at “${issue.path.join('.').slice(0, 100)}”`;
    throw new ConfigurationError(
      `“${CONFIGURATION_FILE}” can’t be used${where}: ${issue?.message.slice(0, 200) ?? 'it has another form'}.`,
    );
  }
  return read.data;
}
