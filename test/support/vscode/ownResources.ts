import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import type { ExtensionHost } from './extensionHosts';
import { checkoutRoot } from './paths';

/** The test-only companion extension that records what the extension creates in a host. */
export const RESOURCE_WATCH = join(checkoutRoot, 'test/support/vscode/resourceWatch');

/** What the extension has created in a host, and what still exists. */
export interface OwnResources {
  /** How many timers and handles were created since the host started. */
  made: number;
  alive: { type: string; stack: string }[];
}

/** Reads the resources in a host that has the companion. */
export function ownResources(host: ExtensionHost): Promise<OwnResources> {
  return host.run(() => (globalThis as unknown as { docsAgentResources: () => OwnResources }).docsAgentResources());
}

/** The files of the extension that its host has open, except for the editor's log for it; Linux only. */
export async function openFiles(host: ExtensionHost): Promise<string[]> {
  const folder = `/proc/${host.facts.pid}/fd`;
  const names = await readdir(folder);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')));
  return targets.filter((target) => target.includes(EXTENSION_ID) && !target.endsWith('.log'));
}

/** The interval between checks, and how many checks in a row must find nothing open and nothing new. */
const LOOK_MS = 250;
const LOOKS = 8;

/**
 * Waits until the extension has no handle in a host, at most this many timers, and creates no new ones. Throws with
 * what is left when the time limit is over.
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
