import { basename } from 'node:path';
import {
  type ProjectSettings,
  projectSettingsSchema,
  type RegisteredProject,
} from '../../shared/protocol/localService';
import { type UserRepository, projectIdOf } from '../git/userRepository';
import type { JobStore } from '../store/jobStore';
import type { AgentSource } from './agentSource';

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
