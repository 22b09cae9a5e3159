import { join } from 'node:path';
import { checkoutRoot } from './paths';

/** User settings with which the extension runs its local service with the scripted agent: no account, no network. */
export function scriptedServiceSettings(): Record<string, unknown> {
  const agent = join(checkoutRoot, 'test', 'support', 'scriptedAgent.mjs');
  return { 'docsAgent.service': 'local', 'docsAgent.local.agentCommand': [process.execPath, agent] };
}
