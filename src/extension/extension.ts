// Not `import *`: esbuild would copy every member of the API at startup, once for each importing file.
import vscode = require('vscode');
import { DisposableStore } from '../base/disposable';
import type { DocsAgentApi } from './api';
import type { Application } from './application';
import { registerTools } from './features/chat-tools/registerTools';
import type { Job } from './presentation/apiJob';
import { type Contributions, registerCommands } from './registerCommands';

let end: (() => Promise<void>) | undefined;

/**
 * Registers the commands and returns. Everything else is loaded right afterwards; until then commands wait and the list
 * of jobs is empty. This keeps activation fast, because every start of the editor waits for it.
 */
export function activate(context: vscode.ExtensionContext): DocsAgentApi {
  const owned = new DisposableStore();
  const changed = owned.add(new vscode.EventEmitter<Job>());
  let loading: Promise<Application> | undefined;
  let loaded: Application | undefined;
  const application = (): Promise<Application> =>
    (loading ??= import('./application').then(({ startApplication }) => {
      return (loaded = startApplication(context, owned, (job) => changed.fire(job)));
    }));
  const { contributes } = context.extension.packageJSON as { contributes: Contributions };
  owned.add(registerCommands(async (id, argument) => (await application()).run(id, argument), contributes));
  owned.add(vscode.window.registerUriHandler({ handleUri: async (uri) => (await application()).openLink(uri) }));
  owned.add(registerTools(async () => (await application()).tools()));
  const start = setImmediate(() => void application());
  owned.add({ dispose: () => clearImmediate(start) });
  // Not a subscription of the context: those are disposed before `deactivate` is done.
  end = async () => {
    await loaded?.end();
    owned.dispose();
  };
  return {
    version: 1,
    get jobs() {
      return loaded?.jobs ?? [];
    },
    onDidChangeJob: changed.event,
    createJob: async (prompt, options) => (await application()).createJob(prompt, options),
    sendFollowUp: async (jobId, prompt, options) => (await application()).sendFollowUp(jobId, prompt, options),
  };
}

/** The editor waits for this for at most five seconds and then ends the process. */
export async function deactivate(): Promise<void> {
  await end?.();
}
