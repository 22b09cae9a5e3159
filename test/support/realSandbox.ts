import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findSandbox } from '../../src/local-service/agents/sandbox';
import { toEnglish } from '../../src/local-service/codedText';
import { report } from './scale';
import { installOnce } from './vscode/installOnce';

const CACHE = process.env['DOCS_AGENT_TEST_CACHE'] ?? fileURLToPath(new URL('../../.cache', import.meta.url));
const VERSION = '0.0.78';

/** PATH with the real `srt`, which is installed into the cache if it is missing. */
export async function pathWithSandbox(): Promise<string> {
  const folder = join(CACHE, `sandbox-runtime-${VERSION}`);
  await installOnce(folder, 'the sandbox', async (into) => {
    const dependencies = { '@anthropic-ai/sandbox-runtime': VERSION };
    await writeFile(join(into, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: into });
  });
  return `${join(folder, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** Skips the tests, with the reason in their titles, where the sandbox can't be used. */
export async function skipWithoutSandbox(this: Mocha.Context): Promise<void> {
  const why = process.platform === 'linux' ? await obstacle().catch(String) : 'only on Linux';
  if (why !== undefined) {
    report({ promise: 'S12', what: 'the real sandbox', figure: `skipped: ${why}` });
    this.test?.parent?.eachTest((test) => (test.title += ` (skipped: ${why})`));
    this.skip();
  }
}

async function obstacle(): Promise<string | undefined> {
  const found = await findSandbox({ ...process.env, PATH: await pathWithSandbox() });
  return typeof found === 'string' ? undefined : toEnglish(found);
}
