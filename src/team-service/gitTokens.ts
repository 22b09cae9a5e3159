import { readFile } from 'node:fs/promises';
import { UsageError } from '../local-service/options';
import type { TokenStore } from '../local-service/forges/credentials';
import { hostTokenSchema } from '../protocol/localService';

/**
 * Reads the tokens for Git hosts from `DOCS_AGENT_TOKENS` and from the file that `DOCS_AGENT_TOKENS_FILE` names: words
 * such as `github.com=TOKEN` or `git.example.com=USER:TOKEN`. No agent gets these variables. Throws UsageError.
 */
export async function readGitTokens(
  environment: Readonly<Record<string, string | undefined>>,
  tokens: TokenStore,
): Promise<void> {
  const { DOCS_AGENT_TOKENS: given = '', DOCS_AGENT_TOKENS_FILE: file } = environment;
  const read =
    file === undefined
      ? ''
      : await readFile(file, 'utf8').catch((error: unknown) => {
          throw new UsageError(`Couldn’t read the file in DOCS_AGENT_TOKENS_FILE: ${(error as Error).message}`);
        });
  let count = 0;
  for (const [word] of `${given}\n${read}`.matchAll(/\S+/g)) {
    count += 1;
    const [, host, username, token] = /^([^=:]*(?::\d+)?)=(?:([^:]*):)?([^:]*)$/.exec(word) ?? [];
    const parsed = hostTokenSchema.safeParse({ host, token, ...(username && { username }) });
    if (!parsed.success) {
      // Not shown: it may contain a token.
      throw new UsageError(`Token ${count} isn’t of the form HOST=TOKEN or HOST=USER:TOKEN.`);
    }
    const { host: name, ...rest } = parsed.data;
    tokens.set(name, rest);
  }
}
