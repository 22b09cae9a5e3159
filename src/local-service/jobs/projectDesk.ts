import { lstat, opendir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type ProjectSettings,
  projectSettingsSchema,
  type RegisteredProject,
  type StorageAnswer,
} from '../../protocol/localService';
import { projectIdOf, type UserRepository } from '../git/userRepository';
import type { JobStore } from '../store/jobStore';
import { cutText, joinBytes } from '../text';
import type { AgentSource } from './agentSettings';
import { jobStatus } from './jobDesk';

/** A repository that can be a project. */
export interface IdentifiedProject {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
}

/** How long it may take to find out which code host a repository belongs to, in milliseconds. */
const HOST_MS = 3_000;

/** Makes repositories projects, and tells what the user should know of them. */
export class ProjectDesk {
  readonly store: Pick<JobStore, 'putProject' | 'project'>;

  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'putProject' | 'project'>;
      repository: UserRepository;
      agents: AgentSource;
      /** Where the branches of the repository are pushed to; undefined for nowhere. */
      hostOf: (folder: string, signal: AbortSignal) => Promise<{ host: string; kind: string } | undefined>;
    },
  ) {
    this.store = parts.store;
  }

  /**
   * Finds the repository that holds a folder. Throws UnusableFolder when there is none, or no commit in it.
   *
   * @param check called with the project's id as soon as it is known; what it throws comes before what is wrong with it
   */
  async identify(folder: string, check: (projectId: string) => void = () => undefined): Promise<IdentifiedProject> {
    const topLevel = await this.parts.repository.topLevel(folder);
    const id = projectIdOf(topLevel);
    check(id);
    await this.parts.repository.head(topLevel);
    return { id, name: basename(topLevel), folder: topLevel };
  }

  /** Keeps the project; its jobs are done by these settings from their next turn on, or else as `keep` says. */
  async register(project: IdentifiedProject, given: ProjectSettings | undefined): Promise<RegisteredProject> {
    const settings = this.keep(project, given);
    const [dirty, host, agent] = await Promise.all([
      this.parts.repository.isDirty(project.folder),
      settings.publish ? this.hostOf(project.folder) : null,
      this.parts.agents.choose(settings).catch(() => null),
    ]);
    const { id, name } = project;
    return { projectId: id, name, dirty, host, agent: agent && { name: agent.name, title: agent.title } };
  }

  /** Keeps the project; without settings by those that it has, or else by the standard ones. */
  keep(project: IdentifiedProject, settings: ProjectSettings | undefined): ProjectSettings {
    const present = settings ?? this.store.project(project.id)?.settings ?? projectSettingsSchema.parse({});
    this.store.putProject({ ...project, settings: present });
    return present;
  }

  private async hostOf(folder: string) {
    const found = await this.parts.hostOf(folder, AbortSignal.timeout(HOST_MS)).catch(() => undefined);
    return found === undefined ? null : { host: found.host, kind: found.kind === 'unknown' ? null : found.kind };
  }
}

const MAX_TITLE = 100;
/** On each system Node counts the disk in these (`st_blocks`, on Windows from the size of allocation). */
const BLOCK_BYTES = 512;

/** What the folders of jobs take on the disk, the largest first. */
export async function storageReport(store: JobStore, jobsFolder: string): Promise<StorageAnswer> {
  const jobs: StorageAnswer['jobs'] = [];
  for (const jobId of await readdir(jobsFolder)) {
    const job = store.job(jobId);
    if (job !== undefined) {
      const turns = store.turns(jobId);
      const { status } = jobStatus(turns);
      const folder = join(jobsFolder, jobId);
      jobs.push({
        jobId,
        projectId: job.projectId,
        title: cutText(turns[0]?.prompt.trim().split('\n', 1)[0] ?? '', MAX_TITLE),
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
 * What would be free without the folder, in bytes. A file is not counted that has another name elsewhere: the service's
 * clone shares git's objects with the user's repository. What goes meanwhile is not counted, either.
 */
export async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  /** How many names are still to be found of each file that has several. */
  const missing = new Map<string, number>();
  const count = async (file: Buffer): Promise<void> => {
    const { nlink, blocks, dev, ino } = await lstat(file, { bigint: true });
    const identity = `${dev}:${ino}`;
    const left = (missing.get(identity) ?? Number(nlink)) - 1;
    if (nlink > 1) {
      missing.set(identity, left);
    }
    bytes += left === 0 ? Number(blocks) * BLOCK_BYTES : 0;
  };
  const look = async (within: Buffer): Promise<void> => {
    // The types of Node know no `buffer` here.
    for await (const entry of await opendir(within, { encoding: 'buffer' as BufferEncoding })) {
      const path = joinBytes(within, entry.name);
      // Gone, closed to us, or nested too deep.
      await (entry.isDirectory() ? look(path) : count(path)).catch(() => undefined);
    }
  };
  await look(Buffer.from(folder)).catch(() => undefined);
  return bytes;
}
