import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';

/** The attacker's host name, and one that resolves to this machine as after DNS rebinding. */
export const EVIL_HOST = 'evil.example';
export const REBOUND_HOST = 'rebound.example';

/** A browser and a hostile site that it can reach. */
export interface EvilSite {
  browser: Browser;
  /** Origin of the site. */
  origin: string;
  /** The attack script; defines `attack`. */
  script: string;
  /** Requests that the site received, except for its own page. */
  hits: string[];
  close(): Promise<void>;
}

/** @param page the HTML that the site serves at `/` */
export async function openEvilSite(page?: string): Promise<EvilSite> {
  const script = await readFile(fileURLToPath(new URL('./attack.mjs', import.meta.url)), 'utf8');
  const hits: string[] = [];
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    if (!isPage) {
      hits.push(request.url ?? '');
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(isPage ? (page ?? `<!doctype html><script>${script}</script>`) : 'globalThis.owned = true');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const names = [EVIL_HOST, REBOUND_HOST].map((name) => `MAP ${name} 127.0.0.1`).join(', ');
  // Newer browsers keep web pages from reaching this machine. Older ones do not, so the service must not rely on it.
  const unguarded = '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets';
  const browser = await launchBrowser([`--host-resolver-rules=${names}`, unguarded]);
  return { browser, origin: `http://${EVIL_HOST}:${port}`, script, hits, close: () => close(browser, server) };
}

async function close(browser: Browser, server: Server): Promise<void> {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
