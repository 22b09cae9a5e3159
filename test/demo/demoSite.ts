import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository } from '../support/temporaryRepository';
import { checkoutRoot } from '../support/vscode/paths';
import { scriptedServiceSettings } from '../support/vscode/scriptedService';

/** The folder of an extension that brings the jobs view and a sample page to the front when the window opens. */
export const openingExtension = join(checkoutRoot, 'test', 'demo', 'openingExtension');

export const WHEN_ENDED = 'The sample documentation is then deleted, with all your changes.';

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
