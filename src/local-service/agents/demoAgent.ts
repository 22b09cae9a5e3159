import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { coded, type CodedText } from '../../protocol/codedText';
import { DEMO_AGENT } from '../../protocol/localIds';
import type { FoundAgent } from '../../protocol/localService';
import { toEnglish } from '../codedText';

/** For trying out: it edits pages by a few fixed rules, uses no model, and starts no programs. */
export const DEMO = { name: DEMO_AGENT, title: 'Demo agent' } as const;

const FILE = 'demoAgent.mjs';

/** The demo agent's file, which the extension brings along. Undefined if this is another package. */
export function findDemoAgent(service: string): string | undefined {
  const path = join(dirname(service), '..', 'media', FILE);
  return existsSync(path) ? path : undefined;
}

export function foundDemoAgent(path: string): FoundAgent & { coded: CodedText } {
  const how = coded('agentFound', { path });
  return { ...DEMO, path, how: toEnglish(how), coded: how };
}

/** Whether a command runs the demo agent with the program that runs this service. */
export function isDemoAgent([program, script = '']: readonly string[]): boolean {
  return program === process.execPath && basename(script) === FILE;
}
