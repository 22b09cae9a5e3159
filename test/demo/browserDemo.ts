import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageExtension } from '../support/vscode/packageExtension';
import { extensionFolder } from '../support/vscode/paths';
import { VsCodeServer } from '../support/vscode/server';
import { workbenchUrl } from '../support/vscode/workbenchUrl';
import { type DemoSite, openingExtension, WHEN_ENDED } from './demoSite';
import { startFrontProxy } from './frontProxy';

/** Serves VS Code with the extension to a browser on a loopback address, until `signal` is aborted. */
export async function runBrowserDemo(site: DemoSite, signal: AbortSignal): Promise<void> {
  const vsix = join(site.profile, 'extension.vsix');
  await packageExtension(extensionFolder, vsix);
  const connectionToken = randomBytes(32).toString('hex');
  const server = await VsCodeServer.start({
    settings: site.settings,
    vsix: [vsix],
    allBuiltIns: true,
    companions: [openingExtension],
    connectionToken,
  });
  try {
    const proxy = await startFrontProxy(server.port, connectionToken);
    const url = workbenchUrl(proxy.port, { folder: site.repository, connectionToken });
    process.stdout.write(
      [
        '',
        'No desktop VS Code was found, so VS Code runs as a server. Open this URL in a browser on this machine:',
        '',
        `  ${url}`,
        '',
        'The URL contains a secret: anyone who opens it can do everything you can. Press Ctrl+C to quit.',
        WHEN_ENDED,
        '',
      ].join('\n'),
    );
    if (!signal.aborted) {
      await once(signal, 'abort');
    }
    proxy.close();
  } finally {
    await server.stop();
  }
}
