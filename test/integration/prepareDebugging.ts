// Prepares what the launch configuration "Host Tests" needs: the bundled suites, a sample repository, and the user
// settings of the window. A file name as argument bundles only that suite.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository } from '../support/temporaryRepository';
import { outFolder } from '../support/vscode/paths';
import { scriptedServiceSettings } from '../support/vscode/server';
import { bundleSuite } from './bundleSuite';

const folder = join(outFolder, 'debug');
const workspace = join(folder, 'workspace');
const user = join(folder, 'u', 'User');

await Promise.all([workspace, join(folder, 'u')].map((each) => rm(each, { recursive: true, force: true })));
await Promise.all([workspace, user].map((each) => mkdir(each, { recursive: true })));
await createSampleRepository(workspace);
await writeFile(join(user, 'settings.json'), JSON.stringify(scriptedServiceSettings(), undefined, 2));
await bundleSuite(join(folder, 'suite'), process.argv.slice(2));
