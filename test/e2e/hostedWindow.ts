import { ScriptedServer } from '../support/scriptedServer';
import { type TestWindow, type WindowOptions, useWindow } from './window';

export interface HostedWindow {
  window: () => TestWindow;
  /** The service; while the tests run. */
  server: () => ScriptedServer;
  /** The bodies of the prompts that the service got, as they came. */
  bodies: () => string[];
  /** The prompts that the service got. */
  prompts: () => string[];
}

/**
 * A window whose hosted service is scripted: it makes a job of each prompt, and says of every job that it has this
 * status. Registers hooks, as `useWindow` does.
 */
export function useHostedWindow(options: WindowOptions = {}, status = 'completed'): HostedWindow {
  const servers: ScriptedServer[] = [];
  const window = useWindow(async () => {
    const server = await ScriptedServer.start();
    let made = 0;
    server.choose = ({ method, path }) =>
      method === 'POST'
        ? { status: 201, body: { id: `job${++made}`, status: 'active' } }
        : { body: { id: path.split('/').at(-1), status } };
    servers.push(server);
    const hosted = { 'docsAgent.baseUrl': server.url, 'docsAgent.projectId': 'docs-project' };
    return { ...options, settings: { ...hosted, ...options.settings } };
  });
  after(() => Promise.all(servers.map((server) => server.close())));
  const bodies = (): string[] =>
    servers.flatMap(({ requests }) => requests.filter(({ method }) => method === 'POST').map(({ body }) => body));
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
