import type { Secret } from '../../../prompt/secrets/secret';
import type { Logger } from '../../../shared/util/logger';
import type { ApiKeys } from '../../services/apiKeys';
import type { CodeHostTokens } from '../../services/codeHostTokens';

export interface SecretFinderOptions {
  keys: ApiKeys;
  tokens: CodeHostTokens;
  log: Logger;
}

/** Finds what looks like a secret in a prompt: by the rules of a library, and the keys and tokens that are stored here. */
export class SecretFinder {
  constructor(private readonly options: SecretFinderOptions) {}

  /**
   * In the order of the text, none over another. Takes its time with a long text and lets others go first. Rejects with
   * the signal's reason once nobody wants the answer anymore.
   */
  async find(text: string, signal?: AbortSignal): Promise<Secret[]> {
    const [found = []] = await this.findEach([text], signal);
    return found;
  }

  /** The same of several texts, each by itself. */
  async findEach(texts: readonly string[], signal?: AbortSignal): Promise<Secret[][]> {
    const { keys, tokens, log } = this.options;
    const concealed = Promise.all([keys.concealStored(), tokens.concealStored()]).catch((error: unknown) =>
      log.warn('not all stored keys could be read to look for them in a prompt', error),
    );
    const [{ findSecrets, ownDetectors }, { ruleDetectors }] = await Promise.all([
      import('../../../prompt/secrets/findSecrets'),
      import('../../../prompt/secrets/ruleDetectors'),
    ]);
    await concealed;
    const detectors = [...ownDetectors(keys), ...ruleDetectors()];
    const found: Secret[][] = [];
    for (const text of texts) {
      found.push(await findSecrets(text, detectors, signal));
    }
    return found;
  }
}
