import { isPreviewRequest, scriptedPreviews } from '../support/scriptedPreviews';
import { type ScriptedAnswer, ScriptedServer, type SeenRequest } from '../support/scriptedServer';
import type { Workbench } from '../support/vscode/workbench';
import { type TestWindow, type WindowOptions, useWindow } from './window';

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
