import { lstat, opendir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ProjectSettings, type RegisteredProject, type StorageAnswer } from '../../protocol/localService';
import { projectIdOf } from '../../protocol/localIds';
import { isWorkTree, type UserRepository } from '../git/userRepository';
import type { Job, JobStore, Project } from '../store/jobStore';
import type { SqlJobStore } from '../store/sqlJobStore';
import { titleOf } from '../text';
import type { AgentSource } from './agentSettings';
import { jobStatus } from './jobStatus';

/** A repository that can be a project. */
export interface IdentifiedProject {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
  /** The git directory that all its work trees have in common. */
  gitDir: string | null;
}

/** Timeout for finding a repository's Git host, in milliseconds. */
const HOST_MS = 3_000;

/** Registers repositories as projects, and reports what the user should know about them. */
export class ProjectRegistry {
  readonly store: Pick<SqlJobStore, 'putProject' | 'project' | 'projects' | 'jobs'>;

  constructor(
    private readonly parts: {
      store: Pick<SqlJobStore, 'putProject' | 'project' | 'projects' | 'jobs'>;
      repository: UserRepository;
      agents: AgentSource;
      /** Returns the Git host that the repository's branches are pushed to; undefined for none. */
      hostOf: (folder: string, signal: AbortSignal) => Promise<{ host: string; kind: string } | undefined>;
    },
  ) {
    this.store = parts.store;
  }

  /**
   * Finds the repository that contains a folder. Throws UnusableFolder when there is none or it has no commit.
   *
   * @param check called with the project's id as soon as it is known; its error takes precedence over a missing commit
   */
  async identify(folder: string, check: (projectId: string) => void = () => undefined): Promise<IdentifiedProject> {
    const { repository, store } = this.parts;
    const topLevel = await repository.topLevel(folder);
    const projects = await store.projects();
    const known = projects.find((project) => project.folder === topLevel);
    // Another repository may have been here when it got this id.
    const isTaken = projects.some(({ id }) => known === undefined && id === projectIdOf(topLevel));
    const id = known?.id ?? projectIdOf(isTaken ? `${topLevel}/` : topLevel);
    check(id);
    await repository.head(topLevel);
    const gitDir = known?.gitDir ?? (await repository.commonGitDir(topLevel));
    const moved = known === undefined ? await this.findMoved(topLevel, gitDir, projects) : undefined;
    if (moved !== undefined) {
      check(moved.id);
    }
    return { id: moved?.id ?? id, name: basename(topLevel), folder: topLevel, gitDir };
  }

  /**
   * Finds the project whose folder is gone because this is where it was moved to: the repository is the same, or it has
   * the commit that the project's newest job started from. Its id stays valid, along with its jobs.
   */
  private async findMoved(
    topLevel: string,
    gitDir: string,
    projects: readonly Project[],
  ): Promise<Project | undefined> {
    const { repository, store } = this.parts;
    let found: { project: Project; at: number } | undefined;
    for (const project of projects) {
      const [job] = (await isWorkTree(project.folder)) ? [] : await store.jobs(project.id, 1);
      const isIt = job !== undefined && (project.gitDir === gitDir || (await isStartOf(repository, topLevel, job)));
      found = isIt && job.createdAt > (found?.at ?? 0) ? { project, at: job.createdAt } : found;
    }
    return found?.project;
  }

  /** Stores the project. Its jobs use these settings from their next turn on; for missing settings see `keep`. */
  async register(project: IdentifiedProject, given: ProjectSettings | undefined): Promise<RegisteredProject> {
    const { settings } = await this.parts.store.putProject({ ...project, settings: given });
    const [dirty, host, agent] = await Promise.all([
      this.parts.repository.isDirty(project.folder),
      settings.publish ? this.hostOf(project.folder) : null,
      this.parts.agents.choose(settings).catch(() => null),
    ]);
    const { id, name } = project;
    return { projectId: id, name, dirty, host, agent: agent && { name: agent.name, title: agent.title } };
  }

  private async hostOf(folder: string) {
    const found = await this.parts.hostOf(folder, AbortSignal.timeout(HOST_MS)).catch(() => undefined);
    return found === undefined ? null : { host: found.host, kind: found.kind === 'unknown' ? null : found.kind };
  }
}

/** Whether the repository has what the job started from, and no other remote. */
async function isStartOf(
  repository: UserRepository,
  folder: string,
  { baseCommit, repository: address }: Pick<Job, 'baseCommit' | 'repository'>,
): Promise<boolean> {
  const isSame = address.startsWith('file:') || address === (await repository.address(folder));
  return isSame && baseCommit !== null && (await repository.commitOf(folder, baseCommit)) !== undefined;
}

/**
 * Node reports disk usage in blocks of this size on every system (`st_blocks`; on Windows from the allocation size).
 */
const BLOCK_BYTES = 512;

/** Returns the disk usage of the jobs' folders, largest first. */
export async function storageReport(store: JobStore, jobsFolder: string): Promise<StorageAnswer> {
  const jobs: StorageAnswer['jobs'] = [];
  for (const jobId of await readdir(jobsFolder)) {
    const job = await store.job(jobId);
    if (job !== undefined) {
      const turns = await store.turns(jobId);
      const { status } = jobStatus(turns);
      const folder = join(jobsFolder, jobId);
      jobs.push({
        jobId,
        projectId: job.projectId,
        title: titleOf(turns[0]?.prompt ?? ''),
        status: status !== 'active' && job.archivedAt !== null ? 'archived' : status,
        folder,
        bytes: await diskUsage(folder),
      });
    }
  }
  const bytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  return { bytes, jobs: jobs.toSorted((a, b) => b.bytes - a.bytes) };
}

/**
 * Returns the bytes that removing the folder would free. A file with a hard link is not counted: the service's clone
 * shares git's objects with the user's repository. Neither is a file that disappears in the meantime.
 */
export async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  const visit = async (within: string): Promise<void> => {
    for await (const entry of await opendir(within)) {
      const path = join(within, entry.name);
      if (entry.isDirectory()) {
        await visit(path).catch(() => undefined);
      } else {
        const stats = await lstat(path).catch(() => undefined);
        bytes += stats?.nlink === 1 ? stats.blocks * BLOCK_BYTES : 0;
      }
    }
  };
  await visit(folder).catch(() => undefined);
  return bytes;
}
