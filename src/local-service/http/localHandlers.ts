import { GitError } from '../../git/git';
import { coded } from '../../protocol/codedText';
import {
  type AgentsAnswer,
  isWithheldVariable,
  type ProjectSettings,
  type StorageAnswer,
} from '../../protocol/localService';
import { toEnglish } from '../codedText';
import type { TokenStore } from '../forges/credentials';
import { UnusableFolder } from '../git/userRepository';
import type { JobOperations } from '../jobs/jobOperations';
import type { ProjectRegistry } from '../jobs/projectRegistry';
import type { EndedWork } from '../jobs/endedWork';
import type { ReviewActions } from '../review/reviewActions';
import type { ReviewReader } from '../review/reviewReader';
import { HttpError } from './httpError';
import { type Call, type Handlers, NOT_OPENED, requireFound } from './serveRoutes';

export interface LocalParts {
  projects: ProjectRegistry;
  tokens: TokenStore;
  /** Called for each project whose settings the editor has sent. */
  settingsCame: (projectId: string) => void;
  agents: () => Promise<AgentsAnswer>;
  storage: () => Promise<StorageAnswer>;
  /** Shuts the service down: immediately, or when no turn is left. */
  shutDown: (when: 'now' | 'idle') => void;
}

/** The routes under `/local`. They require a service-wide key, see `serveRoutes`. */
export function localHandlers({ projects, tokens, ...parts }: LocalParts): Handlers {
  return {
    registerProject: (call) => registerProject(projects, call),
    readSettings: ({ project }) => project.settings,
    async writeSettings({ project, body }) {
      refuseWithheld(body);
      const { host, agent } = await projects.register(project, body);
      parts.settingsCame(project.id);
      return { host, agent };
    },
    listAgents: () => parts.agents(),
    measureStorage: () => parts.storage(),
    listTokens: () => ({ hosts: tokens.hosts() }),
    giveToken({ body: { host, ...token } }) {
      tokens.set(host, token);
      return undefined;
    },
    forgetToken({ context }) {
      tokens.remove(context.req.param('host') ?? '');
      return undefined;
    },
    shutDown({ body }) {
      // After the response is sent: the listener closes first and lets open requests finish.
      setImmediate(() => parts.shutDown(body.when));
      return {};
    },
  };
}

/** Without settings, a project keeps its own. A key to individual projects can register those, without settings. */
async function registerProject(projects: ProjectRegistry, { context, body }: Call<'registerProject'>): Promise<object> {
  const { folder, settings } = body;
  const scope = context.get('scope');
  // Settings name programs to run, so only a service-wide key may change them.
  if (settings !== undefined && !scope.isServiceWide) {
    throw new HttpError(403, 'This key can’t change job settings. Leave out “settings”.');
  }
  refuseWithheld(settings);
  let isKnown = scope.isServiceWide;
  const check = (projectId: string): void => {
    if (!scope.opens(projectId)) {
      throw new HttpError(403, NOT_OPENED);
    }
    isKnown = true;
  };
  try {
    return await projects.register(await projects.identify(folder, check), settings);
  } catch (error) {
    if (error instanceof UnusableFolder) {
      // A key to individual projects must not learn anything about other folders, not even whether they exist.
      throw isKnown ? new HttpError(400, error.coded) : new HttpError(403, NOT_OPENED);
    }
    throw error;
  }
}

/**
 * Rejects variables that are never passed to an agent. Whoever names one relies on it, so dropping it silently would be
 * worse.
 */
function refuseWithheld(settings: ProjectSettings | undefined): void {
  const names = settings?.variables.filter(isWithheldVariable) ?? [];
  if (names.length > 0) {
    throw new HttpError(400, `These variables are never passed to an agent: ${names.slice(0, 10).join(', ')}.`);
  }
}

/** How long git may take, in milliseconds. Shorter than a client's timeout. */
const LIMIT_MS = 20_000;

/** What a job has changed: which files, the text, and the pictures. */
export function changesHandlers(reviews: Pick<ReviewReader, 'changes' | 'diff' | 'image'>): Handlers {
  const withGit = async <T>(
    { context }: Pick<Call<'readDiff'>, 'context'>,
    read: (signal: AbortSignal) => Promise<T>,
  ) => {
    const late = AbortSignal.timeout(LIMIT_MS);
    try {
      return await read(AbortSignal.any([late, context.req.raw.signal]));
    } catch (error) {
      if (error instanceof GitError) {
        throw new HttpError(409, coded('changesNotRead', { words: error.message }));
      }
      throw late.aborted ? new HttpError(409, coded('changesTookTooLong')) : error;
    }
  };
  return {
    readChanges: (call) => withGit(call, (signal) => reviews.changes(call.job, signal)),
    readDiff: (call) => withGit(call, (signal) => reviews.diff(call.job, signal)),
    readImage: async (call) => ({
      base64: await withGit(call, (signal) => reviews.image(call.job, call.query, signal)),
    }),
  };
}

/** What the user decides about a job's work, and the link to its review page. */
export function decisionHandlers(
  jobs: Pick<JobOperations, 'retrieveJob'>,
  actions: Pick<ReviewActions, 'preview' | 'merge' | 'undoMerge' | 'close' | 'reopen'>,
  unsaved: Pick<EndedWork, 'keep' | 'discard' | 'update'>,
  newReviewLink: (jobId: string) => string,
): Handlers {
  return {
    async keepWork({ job }) {
      await unsaved.keep(job.id);
      return requireFound(await jobs.retrieveJob(job.id));
    },
    async updateJob({ job }) {
      await unsaved.update(job.id);
      return requireFound(await jobs.retrieveJob(job.id));
    },
    async discardWork({ job }) {
      await unsaved.discard(job.id);
      return requireFound(await jobs.retrieveJob(job.id));
    },
    openReview({ job }) {
      if (job.publishedCommit === null) {
        throw new HttpError(409, coded('nothingToReview'));
      }
      return { url: newReviewLink(job.id) };
    },
    async previewMerge({ job }) {
      const { text, ...state } = await actions.preview(job);
      return { ...state, text: toEnglish(text), coded: text };
    },
    async mergeJob({ job, body }) {
      const { branch, deleted } = await actions.merge(job, body);
      return { branch, deleted };
    },
    undoMerge: ({ job }) => actions.undoMerge(job),
    async closeJob({ job }) {
      await actions.close(job);
      return requireFound(await jobs.retrieveJob(job.id));
    },
    async reopenJob({ job }) {
      await actions.reopen(job);
      return requireFound(await jobs.retrieveJob(job.id));
    },
  };
}
