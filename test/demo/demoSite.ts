import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository, git } from '../support/temporaryRepository';
import { checkoutRoot } from '../support/vscode/paths';

/** The folder of an extension that brings the jobs view and a sample page to the front when the window opens. */
export const openingExtension = join(checkoutRoot, 'test', 'demo', 'openingExtension');

/** A program that edits the sample documentation by fixed rules. */
export const demoAgent = join(checkoutRoot, 'media', 'demoAgent.mjs');

/** Added to the README of the sample. */
const ABOUT_DEMO = `
The demo agent follows fixed rules. To see a job that fails, send the prompt “fail”.
`;

/** A page with room for improvement: src/retry.ts of the sample contains the missing details. */
const CONFIGURATION = `# Configuration

A \`RetryPolicy\` has two fields:

- \`attempts\`: the maximum number of attempts.
- \`baseDelayMs\`: the delay before the second attempt.
`;

const INDEX = `# Documentation

- [Getting started](getting-started.md): the first request in five minutes
- [Configuration](configuration.md): how often requests are sent
`;

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
  await writeFile(join(repository, 'docs', 'configuration.md'), CONFIGURATION);
  await writeFile(join(repository, 'docs', 'index.md'), INDEX);
  await appendFile(join(repository, 'README.md'), ABOUT_DEMO);
  await git(repository, 'add', '--all');
  await git(repository, 'commit', '--quiet', '-m', 'Describe the configuration');
  const settings = {
    'docsAgent.service': 'local',
    'docsAgent.local.agent': 'demo',
    // Otherwise the first comment opens a panel over half of the window.
    'comments.openView': 'never',
  };
  return { repository, profile, settings };
}
