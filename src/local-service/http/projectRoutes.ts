import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import {
  isWithheldVariable,
  LOCAL_ID,
  type ProjectSettings,
  projectSettingsSchema,
  registerProjectSchema,
} from '../../protocol/localService';
import { UnusableFolder } from '../git/userRepository';
import type { ProjectRegistry } from '../jobs/projectRegistry';
import type { Job, JobStore, Project } from '../store/jobStore';
import type { AuthenticatedEnv } from './authentication';
import { HttpError, methodNotAllowed, readJson } from './httpError';

const WANTED = 'The body must be an object with a “folder” and with “settings”.';

const NOT_OPENED = 'This key doesn’t give access to this project.';

/** The routes under `/local/projects`. */
export function projectRoutes(
  registry: ProjectRegistry,
  onSettingsReceived: (projectId: string) => void,
): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();

  app.put('/', async (context) => {
    const parsed = z.safeParse(registerProjectSchema, await readJson(context));
    const given = parsed.data?.settings;
    const scope = context.get('scope');
    if (!parsed.success || (given === undefined && scope.isServiceWide)) {
      throw new HttpError(400, WANTED);
    }
    // Settings name programs to run, so only a service-wide key may change them.
    if (given !== undefined && !scope.isServiceWide) {
      throw new HttpError(403, 'This key can’t change job settings. Leave out “settings”.');
    }
    refuseWithheld(given);
    let isKnown = scope.isServiceWide;
    const check = (projectId: string): void => {
      if (!scope.opens(projectId)) {
        throw new HttpError(403, NOT_OPENED);
      }
      isKnown = true;
    };
    try {
      return context.json(await registry.register(await registry.identify(parsed.data.folder, check), given));
    } catch (error) {
      if (error instanceof UnusableFolder) {
        // A key to individual projects must not learn anything about other folders, not even whether they exist.
        throw isKnown ? new HttpError(400, error.coded) : new HttpError(403, NOT_OPENED);
      }
      throw error;
    }
  });
  app.all('/', methodNotAllowed('PUT'));

  app.get('/:projectId/settings', async (context) =>
    context.json((await requireProject(context, registry.store)).settings),
  );
  app.put('/:projectId/settings', async (context) => {
    const project = await requireProject(context, registry.store);
    const parsed = z.safeParse(projectSettingsSchema, await readJson(context));
    if (!parsed.success) {
      throw new HttpError(400, `The body must be an object of settings. Wrong: ${wrongNames(parsed.error)}.`);
    }
    refuseWithheld(parsed.data);
    const { host, agent } = await registry.register(project, parsed.data);
    onSettingsReceived(project.id);
    return context.json({ host, agent });
  });
  app.all('/:projectId/settings', methodNotAllowed('GET, HEAD, PUT'));

  return app;
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

function wrongNames(error: z.core.$ZodError): string {
  const names = error.issues.map(({ path }) => (path.length === 0 ? 'the body' : `“${String(path[0])}”`));
  return [...new Set(names)].join(', ');
}

/**
 * Returns the project that the path names. A key without access gets the same response whether or not the project
 * exists.
 */
export async function requireProject(
  context: Context<AuthenticatedEnv>,
  store: Pick<JobStore, 'project'>,
): Promise<Project> {
  const id = context.req.param('projectId') ?? '';
  if (!LOCAL_ID.test(id)) {
    throw new HttpError(404, 'Project not found.');
  }
  if (!context.get('scope').opens(id)) {
    throw new HttpError(403, 'This key doesn’t give access to this project.');
  }
  const project = await store.project(id);
  if (project === undefined) {
    throw new HttpError(404, 'Project not found.');
  }
  return project;
}

/** Returns the job that the path names. A key to its project sees no other project's job. */
export async function requireJob(
  context: Context<AuthenticatedEnv>,
  store: Pick<JobStore, 'project' | 'job'>,
): Promise<Job> {
  const project = await requireProject(context, store);
  const job = await store.job(requireJobId(context));
  return requireFound(job?.projectId === project.id ? job : undefined);
}

/** The id of the job that a path names. */
export function requireJobId(context: Context<AuthenticatedEnv>): string {
  const id = context.req.param('jobId') ?? '';
  return requireFound(LOCAL_ID.test(id) ? id : undefined);
}

/** Returns the job, or throws a 404 error. */
export function requireFound<T>(job: T | undefined): T {
  if (job === undefined) {
    throw new HttpError(404, 'Job not found.');
  }
  return job;
}
