import { blotOut, findSecrets, ownDetectors } from '../../prompt/secrets/findSecrets';
import { kindName } from '../../prompt/secrets/secret';
import { Redactor } from '../../shared/util/redact';

/**
 * The text without what has the shape of a key or a token. It is for what goes into a repository's history or to a code
 * host: others read that, and nobody gets it out again. The agent gets the prompt as it was sent.
 */
export async function withoutSecrets(text: string): Promise<string> {
  // Loaded here, because a start of the service needs no rules.
  const { ruleDetectors } = await import('../../prompt/secrets/ruleDetectors');
  const secrets = await findSecrets(text, [...ownDetectors(new Redactor()), ...ruleDetectors()]);
  return blotOut(text, secrets, kindName);
}
