import { Redactor } from '../../base/redact';

/** Returns what redacts the secrets in an agent's environment from its output, which is kept, shown, and published. */
export function agentSecrets(environment: Readonly<Record<string, string>>): Redactor {
  const redactor = new Redactor();
  for (const [name, value] of Object.entries(environment)) {
    if (/HEADERS/i.test(name)) {
      // Such as `Authorization: Bearer KEY`. Shorter words are no keys.
      const words = value.split(/\s/).filter((word) => word.length >= 16 && !word.endsWith(':'));
      words.forEach((word) => redactor.add(word));
    } else if (
      /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) &&
      // The name of a file.
      !/_FILE$/i.test(name) &&
      !/^\d{1,9}$/.test(value)
    ) {
      redactor.add(value);
    }
  }
  return redactor;
}
