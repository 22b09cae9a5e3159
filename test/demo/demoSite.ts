import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository } from '../support/temporaryRepository';
import { checkoutRoot } from '../support/vscode/paths';

/** What a demonstration works on: all of it lies in one temporary folder. */
export interface DemoSite {
  /** The sample documentation, a git repository. */
  repository: string;
  /** Where VS Code may put its profile. */
  profile: string;
  /** User settings: the service on this machine with the scripted agent, which needs no account and no network. */
  settings: Record<string, unknown>;
}

/** Makes the sample repository and the settings below `folder`. */
export async function createDemoSite(folder: string): Promise<DemoSite> {
  const repository = join(folder, 'handbook');
  const profile = join(folder, 'profile');
  await mkdir(repository);
  await mkdir(profile);
  await createSampleRepository(repository);
  return { repository, profile, settings: demoSettings() };
}

/** The settings by which the extension runs its local service with the scripted agent. */
export function demoSettings(): Record<string, unknown> {
  const agent = join(checkoutRoot, 'test', 'support', 'scriptedAgent.mjs');
  return {
    'docsAgent.service': 'local',
    'docsAgent.local.agentCommand': [process.execPath, agent],
  };
}
