import { Redactor } from '../../base/redact';
import { dropInvisible } from '../../base/text';
import { findSecrets, ownDetectors, redactFindings } from './findSecrets';
import { kindName } from './secret';

/**
 * Redacts everything in a text that looks like a key or a token. Used for text that goes into a repository's history or
 * to a Git host, where others read it and no one can remove it. The agent gets the prompt as it was sent.
 */
export async function redactDetectedSecrets(text: string): Promise<string> {
  // Loaded lazily, because starting the service needs no rules.
  const { ruleDetectors } = await import('./ruleDetectors');
  const detectors = [...ownDetectors(new Redactor()), ...ruleDetectors()];
  const redact = async (each: string): Promise<string> =>
    redactFindings(each, await findSecrets(each, detectors), kindName);
  const redacted = await redact(text);
  // Commits and pull requests drop invisible and control characters, which would put a secret together that they
  // interrupt.
  const visible = dropInvisible(redacted).replace(/(?![\t\n])\p{Cc}/gu, '');
  const seen = visible === redacted ? redacted : await redact(visible);
  return seen === visible ? redacted : seen;
}
