import type { BrowserContext } from 'playwright-core';

/**
 * The target of a path with which code-server's front process forwards a request to another port of this machine;
 * undefined for any other path. The workbench writes links to loopback addresses in this form.
 */
export function proxiedAddress(path: string): string | undefined {
  const [, port, rest] = /^\/proxy\/(\d+)(\/.*)$/.exec(path) ?? [];
  return port === undefined || rest === undefined ? undefined : `http://127.0.0.1:${port}${rest}`;
}

/**
 * Replaces code-server's front process, which is not running, for what the workbench requests from it: the key that
 * encrypts secrets, without which none would survive a reload, and the forwarding to loopback addresses.
 */
export async function standInForFrontProcess(context: BrowserContext): Promise<void> {
  await context.route('**/mint-key', (route) =>
    route.fulfill({ contentType: 'application/octet-stream', body: Buffer.alloc(32, 7) }),
  );
  await context.route(
    (url) => proxiedAddress(url.pathname) !== undefined,
    (route) => {
      const { pathname, search } = new URL(route.request().url());
      return route.fulfill({ status: 302, headers: { location: `${proxiedAddress(pathname) ?? '/'}${search}` } });
    },
  );
}
