import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import type { ExtensionHost } from './extensionHosts';
import { checkoutRoot } from './paths';

/** The companion that notes what the extension makes in a host. */
export const RESOURCE_WATCH = join(checkoutRoot, 'test/support/vscode/resourceWatch');

/** What the extension has made in a host, and what of it is still there. */
export interface OwnResources {
  /** How many timers and handles were made since the host began. */
  made: number;
  alive: { type: string; stack: string }[];
}

/** Reads it in a host that has the companion. */
export function ownResources(host: ExtensionHost): Promise<OwnResources> {
  return host.run(() => (globalThis as unknown as { docsAgentResources: () => OwnResources }).docsAgentResources());
}

/** The files of the extension that its host holds open, but for the editor's own log of it; Linux only. */
export async function openFiles(host: ExtensionHost): Promise<string[]> {
  const folder = `/proc/${host.facts.pid}/fd`;
  const names = await readdir(folder);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')));
  return targets.filter((target) => target.includes(EXTENSION_ID) && !target.endsWith('.log'));
}

/** How often it is looked, and how often in a row nothing is to be there and nothing new made. */
const LOOK_MS = 250;
const LOOKS = 8;

/**
 * Waits until the extension has no handle in a host and no more timers than these, and makes none. Tells what is left after
 * the limit.
 */
export async function untilAtRest(host: ExtensionHost, limitMs: number, timers = 0): Promise<void> {
  let looks = 0;
  let seen = await ownResources(host);
  for (const end = Date.now() + limitMs; looks < LOOKS && Date.now() < end;) {
    await delay(LOOK_MS);
    const now = await ownResources(host);
    const isQuiet = now.alive.length <= timers && now.alive.every(({ type }) => type === 'Timeout');
    looks = isQuiet && now.made === seen.made ? looks + 1 : 0;
    seen = now;
  }
  if (looks < LOOKS) {
    throw new Error(`the extension is not at rest: ${JSON.stringify(seen, undefined, 2)}`);
  }
}
