import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/async';
import type { Logger } from '../../src/base/logger';
import { Git } from '../../src/git/git';
import { TokenStore } from '../../src/local-service/forges/credentials';
import { type BranchToPush, type PublishResult, type PullRequestText } from '../../src/local-service/forges/publisher';
import { ForgePublisher, type PublishLimits } from '../../src/local-service/forges/forgePublisher';
import { createSampleRepository, git, temporaryFolder } from './temporaryRepository';

/** A branch to push and the pull request to open for it, from a work tree on a branch. */
export type Publication = BranchToPush & PullRequestText & { folder: string; baseBranch: string | null };

/** Takes the steps of a publication at once. */
class FixturePublisher extends ForgePublisher {
  async publish({ folder, baseBranch, body, check, ...branch }: Publication): Promise<PublishResult> {
    const destination = await this.destination(folder, baseBranch, branch.signal);
    const pushed = await destination?.push(branch);
    return pushed === undefined ? { prLink: null } : pushed.openPullRequest({ body, check });
  }
}

/** A user with a repository, and the service's git directory for one job in it. */
export interface PublicationFixture {
  /** The folder that contains all the others. */
  root: string;
  /** The user's work tree. */
  folder: string;
  /** The user's home, with their configuration in `.gitconfig`. */
  home: string;
  /** The first folder of the user's PATH. */
  bin: string;
  hostGit: string;
  environment: NodeJS.ProcessEnv;
  tokens: TokenStore;
  /** Secrets that no log may show. */
  secrets: string[];
  /** The lines that were logged. */
  lines: string[];
  /** Commits to the job's branch and returns the publication. */
  next: (changes?: Partial<Publication>) => Promise<Publication>;
  publisher: (limits?: PublishLimits, clock?: Clock) => FixturePublisher;
  /** Writes the user's own git configuration. */
  configure: (text: string) => Promise<void>;
  /** Adds a program to the user's PATH. */
  program: (name: string, script: string) => Promise<string>;
}

export async function createPublicationFixture(): Promise<PublicationFixture> {
  const root = await temporaryFolder();
  const [folder, home, bin, hostGit] = [
    join(root, 'repo'),
    join(root, 'home'),
    join(root, 'bin'),
    join(root, 'host.git'),
  ];
  await Promise.all([mkdir(folder), mkdir(home), mkdir(bin)]);
  await createSampleRepository(folder);
  await git(root, 'clone', '--quiet', '--bare', '--template=', folder, hostGit);
  const environment = {
    PATH: bin + delimiter + (process.env['PATH'] ?? ''),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ DOCS_AGENT_SECRET: 'x', GH_TOKEN: 'environment-token' },
  };
  const lines: string[] = [];
  const say = (message: string): void => void lines.push(message);
  const log: Logger = { info: say, warn: say, error: say };
  const secrets: string[] = [];
  const tokens = new TokenStore((token) => void secrets.push(token));
  const [main = '', tree = ''] = (await git(hostGit, 'rev-parse', 'main', 'main^{tree}')).split('\n');
  let parent = main;
  let count = 0;
  const branch = 'docs-agent/job1';
  const program = async (name: string, script: string): Promise<string> => {
    const path = join(bin, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };
  return {
    ...{ root, folder, home, bin, hostGit, environment, tokens, secrets, lines, program },
    next: async (changes = {}) => {
      count += 1;
      parent = (await git(hostGit, 'commit-tree', tree, '-p', parent, '-m', `Change ${count}`)).trim();
      await git(hostGit, 'update-ref', `refs/heads/${branch}`, parent);
      return {
        ...{ jobId: 'job1', folder, hostGit, branch, commit: parent, baseBranch: 'main', prLink: null },
        ...{ title: 'Document retries', body: 'By the agent.', signal: new AbortController().signal },
        ...changes,
      };
    },
    publisher: (limits = {}, clock = systemClock) =>
      new FixturePublisher({
        git: new Git(environment),
        tokens,
        pushFolder: join(root, 'push'),
        environment,
        log,
        clock,
        limits,
      }),
    configure: (text) => writeFile(join(home, '.gitconfig'), text),
  };
}
