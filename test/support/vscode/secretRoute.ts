import type { BrowserContext } from 'playwright-core';

/**
 * The workbench encrypts what extensions keep in SecretStorage with a key that code-server's front process would give
 * it. That process is not run, so this answers in its place; else secrets would not survive a reload of the window.
 */
export async function answerMintKey(context: BrowserContext): Promise<void> {
  await context.route('**/mint-key', (route) =>
    route.fulfill({ contentType: 'application/octet-stream', body: Buffer.alloc(32, 7) }),
  );
}
