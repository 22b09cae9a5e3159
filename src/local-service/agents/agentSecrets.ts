import { Redactor } from '../../base/redact';

/** Returns what redacts the secrets in an agent's environment from its output, which is kept, shown, and published. */
export function agentSecrets(environment: Readonly<Record<string, string>>): Redactor {
  const redactor = new Redactor();
  for (const [name, value] of Object.entries(environment)) {
    if (/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name)) {
      redactor.add(value);
    }
  }
  return redactor;
}
