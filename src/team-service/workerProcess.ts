import { readFile } from 'node:fs/promises';
import type { Logger } from '../base/logger';
import type { Redactor } from '../base/redact';
import { UsageError } from '../local-service/options';
import { TokenStore } from '../local-service/forges/credentials';
import { Lifetime } from '../local-service/lifetime';
import { hostTokenSchema } from '../protocol/localService';
import type { WorkerSettings } from './teamCommandLine';
import { runWorker } from './worker';

/**
 * Runs a worker until a signal ends it. Resolves when it is ready.
 *
 * @param program the file that runs, which is also started as a supervisor
 */
export async function workerProcess(
  settings: WorkerSettings,
  program: string,
  { log, redactor }: { log: Logger; redactor: Redactor },
): Promise<void> {
  const environment = process.env;
  const tokens = new TokenStore((token) => redactor.add(token));
  await readGitTokens(environment, tokens);
  const supervisor = [process.execPath, program, '--supervise'];
  const worker = await runWorker({ ...settings, supervisor, program, environment, tokens, log });
  const activity = () => ({ turns: 0, requests: 0, followers: 0, requestsInAll: 0 });
  const end = async (): Promise<void> => {
    log.info('stopping, and giving back the runs');
    await worker.stop();
  };
  new Lifetime({ activity, idleMs: 0, log, end });
  log.info(`worker ${worker.name} takes jobs, ${settings.concurrency} at once`);
  process.stdout.write(`${JSON.stringify({ ready: true, worker: worker.name })}\n`);
}

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
