import { type ScriptedAnswer, ScriptedServer, type SeenRequest } from '../support/scriptedServer';
import type { Workbench } from '../support/vscode/workbench';
import { type TestWindow, useWindow, type WindowOptions } from './window';

type Settings = Record<string, unknown>;

export interface HostedOptions extends Omit<WindowOptions, 'settings'> {
  /** Settings in addition to the service's address and the project; or a function from the address to all settings. */
  settings?: Settings | ((url: string) => Settings);
}

export interface HostedWindow {
  window: () => TestWindow;
  /** The service. Available only while the tests run. */
  server: () => ScriptedServer;
  /** The bodies of the prompts that the service received, unparsed. */
  bodies: () => string[];
  /** The prompts that the service received. */
  prompts: () => string[];
}

/**
 * A window with a scripted hosted service. The service creates a job for each prompt and reports this status for every
 * job. Registers hooks, as `useWindow` does.
 */
export function useHostedWindow(options: HostedOptions = {}, status = 'completed'): HostedWindow {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start();
    let made = 0;
    const previews = scriptedPreviews('https://forge.example/preview');
    server.choose = (seen) => previews(seen) ?? answerOf(seen);
    const answerOf = ({ method, path }: SeenRequest): ScriptedAnswer =>
      method === 'POST'
        ? { status: 201, body: { id: `job${++made}`, status: 'active' } }
        : { body: { id: path.split('/').at(-1), status } };
    servers.push(server);
    const hosted = { 'docsAgent.baseUrl': server.url, 'docsAgent.projectId': 'docs-project' };
    const { settings = {} } = options;
    return { ...options, settings: typeof settings === 'function' ? settings(server.url) : { ...hosted, ...settings } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));
  const bodies = (): string[] =>
    servers.flatMap(({ requests }) =>
      requests.filter((seen) => seen.method === 'POST' && !isPreviewRequest(seen)).map(({ body }) => body),
    );
  const server = (): ScriptedServer => {
    const [started] = servers;
    if (started === undefined) {
      throw new Error('the service is there only while tests run');
    }
    return started;
  };
  return {
    window,
    server,
    bodies,
    prompts: () => bodies().map((body) => (JSON.parse(body) as { prompt: string }).prompt),
  };
}

/** Gives the extension a key. */
export async function enterKey(workbench: Workbench): Promise<void> {
  const entering = workbench.host.command('docsAgent.setApiKey');
  await workbench.quickInput.answer('secret-of-this-test');
  await entering;
}

const START = /^(?:\/[^/]+)*\/v1\/project\/preview\/([^/]+)$/;
const STATUS = /^(?:\/[^/]+)*\/v1\/project\/update-status\/([^/]+)$/;

/** True for a request that starts a preview, whose body is no prompt. */
export function isPreviewRequest({ path }: SeenRequest): boolean {
  return START.test(path);
}

/**
 * The routes of the hosted service for previews. A preview is queued, then in progress, then done.
 *
 * @param plan whether the plan of the project has previews
 */
export function scriptedPreviews(
  previewUrl: string,
  { hasPreviews = true, end = 'success' }: { hasPreviews?: boolean; end?: 'success' | 'failure' } = {},
): (seen: SeenRequest) => ScriptedAnswer | undefined {
  const looks = new Map<string, number>();
  return (seen) => {
    const { method, path, body } = seen;
    if (method === 'POST' && START.test(path)) {
      const { branch } = JSON.parse(body) as { branch?: unknown };
      if (!hasPreviews) {
        return { status: 403, body: { error: 'Previews are part of another plan.' } };
      }
      return typeof branch === 'string'
        ? { status: 202, body: { statusId: `status-of-${branch}`, previewUrl } }
        : { status: 400, body: { error: 'branch is required' } };
    }
    const id = method === 'GET' ? STATUS.exec(path)?.[1] : undefined;
    if (id === undefined) {
      return undefined;
    }
    const count = (looks.get(id) ?? 0) + 1;
    looks.set(id, count);
    return { body: { status: ['queued', 'in_progress'][count - 1] ?? end } };
  };
}
