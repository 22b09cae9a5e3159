import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const FILES: Record<string, string> = {
  'README.md': `# Lighthouse

Lighthouse sends requests to slow services and comes back with an answer or a good reason.

- [Documentation](docs/index.md)
- [Getting started](docs/getting-started.md)
`,
  'docs/index.md': `# Documentation

- [Getting started](getting-started.md): the first request in five minutes
`,
  'docs/getting-started.md': `# Getting started

Install the package and send a first request:

\`\`\`ts
import { send } from 'lighthouse';

const answer = await send('https://example.org/status');
\`\`\`

Failed requests are retried a few times. Set \`attempts\` to change how often.
`,
  'src/retry.ts': `export interface RetryPolicy {
  /** Maximum number of attempts. */
  attempts: number;
  /** Delay before the second attempt, in milliseconds. It doubles each time. */
  baseDelayMs: number;
}

export const defaultPolicy: RetryPolicy = { attempts: 4, baseDelayMs: 250 };

export async function retry<T>(policy: RetryPolicy, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= policy.attempts) {
        throw error;
      }
      const pause = policy.baseDelayMs * 2 ** (attempt - 1);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
`,
};

/** Runs git in a folder as a user with no configuration; returns its output. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const identity = { NAME: 'Robin Example', EMAIL: 'robin@example.org' };
  // Git for Windows has a default configuration that converts line ends.
  const none = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: folder, ...none };
  for (const [name, value] of Object.entries(identity)) {
    env[`GIT_AUTHOR_${name}`] = value;
    env[`GIT_COMMITTER_${name}`] = value;
  }
  const { stdout } = await promisify(execFile)('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: folder, env });
  return stdout;
}

/** Created once. Other repositories are copies of it, which are much faster to create. */
let template: Promise<{ folder: string; commit: string }> | undefined;

async function makeTemplate(): Promise<{ folder: string; commit: string }> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'init', '--quiet', '--template=');
  await Promise.all(['hooks', 'info'].map((name) => mkdir(join(folder, '.git', name))));
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Start the library and its documentation');
  return { folder, commit: (await git(folder, 'rev-parse', 'HEAD')).trim() };
}

/**
 * Creates a small repository of a documented library in `dir`, which must not contain one: one commit on `main`,
 * returned.
 */
export async function createSampleRepository(dir: string): Promise<string> {
  template ??= makeTemplate();
  const { folder, commit } = await template;
  cpSync(folder, dir, { recursive: true });
  // The index contains the times and inodes of the original files.
  await git(dir, 'update-index', '-q', '--refresh');
  return commit;
}

/** A new folder for one test, with symbolic links resolved. It is removed when this process exits. */
export async function temporaryFolder(): Promise<string> {
  const parent = join(tmpdir(), `docs-agent-test-${process.pid}`);
  const isFirst = (await mkdir(parent, { recursive: true })) !== undefined;
  if (isFirst) {
    process.once('exit', () => rmSync(parent, { recursive: true, force: true, maxRetries: 3 }));
  }
  return realpath(await mkdtemp(join(parent, 'case-')));
}

/** Creates the small repository in a new folder for one test, and returns that folder. */
export async function sampleRepository(): Promise<string> {
  const folder = await temporaryFolder();
  await createSampleRepository(folder);
  return folder;
}

/** The name of a job's branch: it ends with the start of the job's id. */
export async function jobBranch(repository: string, jobId: string): Promise<string> {
  const listed = await git(repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent/');
  const name = listed
    .split('\n')
    .find(
      (each) => /^[0-9a-f]{4}/.test(each.split('-').at(-1) ?? '') && jobId.startsWith(each.split('-').at(-1) ?? ''),
    );
  if (name === undefined) {
    throw new Error(`no branch of job ${jobId} among: ${listed}`);
  }
  return name;
}
