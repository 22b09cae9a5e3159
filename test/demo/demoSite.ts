import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository } from '../support/temporaryRepository';
import { scriptedServiceSettings } from '../support/vscode/scriptedService';

/** What a demonstration works on. All of it is in one temporary folder. */
export interface DemoSite {
  /** The sample documentation, a git repository. */
  repository: string;
  /** The folder for the profile of VS Code. */
  profile: string;
  /** User settings. */
  settings: Record<string, unknown>;
}

/** Creates the sample repository and the settings below `folder`. */
export async function createDemoSite(folder: string): Promise<DemoSite> {
  const repository = join(folder, 'handbook');
  const profile = join(folder, 'profile');
  await mkdir(repository);
  await mkdir(profile);
  await createSampleRepository(repository);
  return { repository, profile, settings: scriptedServiceSettings() };
}
