import { basename } from 'node:path';
import { type ProjectSettings } from '../../shared/protocol/localService';
import { projectIdOf } from '../git/projectId';
import type { UserRepository } from '../git/userRepository';
import type { JobStore } from '../store/jobStore';

/** A repository that can be a project. */
export interface IdentifiedProject {
  id: string;
  name: string;
  /** The real path of the work tree. */
  folder: string;
}

/** Makes repositories projects. */
export class ProjectRegistry {
  constructor(
    private readonly store: Pick<JobStore, 'putProject'>,
    private readonly repository: UserRepository,
  ) {}

  /** Finds the repository that holds a folder. Throws UnusableFolder when there is none, or no commit in it. */
  async identify(folder: string): Promise<IdentifiedProject> {
    const topLevel = await this.repository.topLevel(folder);
    await this.repository.head(topLevel);
    return { id: projectIdOf(topLevel), name: basename(topLevel), folder: topLevel };
  }

  /** Keeps the project; its jobs are done by these settings from their next turn on. */
  register(project: IdentifiedProject, settings: ProjectSettings): void {
    this.store.putProject({ ...project, settings });
  }

  /** True when the checkout holds work that is not committed, which an agent does not see. */
  isDirty(project: IdentifiedProject): Promise<boolean> {
    return this.repository.isDirty(project.folder);
  }
}
