import * as z from 'zod/mini';
import { LOCAL_KEY } from './localKey';

/** The project ids and job ids that the local service gives. */
export const LOCAL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** One line of JSON on the local service's standard input: the keys that it accepts. Never on a command line. */
export const serviceInputSchema = z.object({
  keys: z.array(
    z.object({
      key: z.string().check(z.regex(LOCAL_KEY)),
      /** The projects that the key opens; all of them when absent. */
      projects: z.optional(z.array(z.string())),
    }),
  ),
});
export type ServiceInput = z.infer<typeof serviceInputSchema>;

/**
 * The state file (mode 0600) by which an editor window finds a running local service. A pid alone may have been given
 * to another process since, so the start time is compared too. No key stands in it.
 */
export const serviceStateSchema = z.object({
  version: z.literal(1),
  pid: z.number(),
  /** When the process started, in the unit that this system tells (see `processStartTime`); compared for equality. */
  startTime: z.string(),
  port: z.number(),
  /** The build of the service, to tell an older one. */
  build: z.string(),
});
export type ServiceState = z.infer<typeof serviceStateSchema>;

/** `PUT /local/projects`: makes the repository that holds `folder` a project, or finds it again, and names its agent. */
export const registerProjectSchema = z.object({
  folder: z.string().check(z.minLength(1)),
  /** Program and arguments, started without a shell. */
  agentCommand: z.array(z.string()).check(z.minLength(1)),
});
export type RegisterProject = z.infer<typeof registerProjectSchema>;

/** The answer to it. `dirty` says that the checkout holds uncommitted work, which the agent does not see. */
export const registeredProjectSchema = z.object({
  projectId: z.string().check(z.regex(LOCAL_ID)),
  name: z.string(),
  dirty: z.boolean(),
});
export type RegisteredProject = z.infer<typeof registeredProjectSchema>;

export const localRoutes = { projects: '/local/projects', shutdown: '/local/shutdown' } as const;
