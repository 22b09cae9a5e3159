import { Hono } from 'hono';
import * as z from 'zod/mini';
import { customAgent, registerProjectSchema } from '../../shared/protocol/localService';
import { UnusableFolder } from '../git/userRepository';
import type { ProjectRegistry } from '../runner/projectRegistry';
import type { AuthenticatedEnv } from './authentication';
import { HttpRefusal } from './httpRefusal';
import { onlyMethod } from './onlyMethod';
import { readJson } from './readJson';

/** The routes under `/local`, which the hosted service does not have. */
export function localRoutes(registry: ProjectRegistry, shutDown: () => void): Hono<AuthenticatedEnv> {
  const app = new Hono<AuthenticatedEnv>();

  app.put('/projects', async (context) => {
    const parsed = z.safeParse(registerProjectSchema, await readJson(context));
    const { agentCommand, settings = agentCommand && customAgent(agentCommand) } = parsed.data ?? {};
    if (!parsed.success || settings === undefined) {
      throw new HttpRefusal(
        400,
        'The body must be an object with a “folder”, and “settings” or an “agentCommand” that is not empty.',
      );
    }
    try {
      const project = await registry.identify(parsed.data.folder);
      if (!context.get('door').opens(project.id)) {
        throw new HttpRefusal(403, 'This key does not open this project.');
      }
      registry.register(project, settings);
      return context.json({
        projectId: project.id,
        name: project.name,
        dirty: await registry.isDirty(project),
      });
    } catch (error) {
      throw error instanceof UnusableFolder ? new HttpRefusal(400, error.message) : error;
    }
  });
  app.all('/projects', onlyMethod('PUT'));

  app.post('/shutdown', (context) => {
    // After the answer is out: the listener closes first and lets open requests end.
    setImmediate(shutDown);
    return context.json({}, 202);
  });
  app.all('/shutdown', onlyMethod('POST'));

  return app;
}
