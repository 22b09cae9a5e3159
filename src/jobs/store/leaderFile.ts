import { rmSync } from 'node:fs';
import type { Logger } from '../../base/logger';
import { SharedJson } from '../../base/sharedJson';
import type { LeaderFile, LeaderRecord } from '../ports';

export function openLeaderFile(file: string, log: Logger): LeaderFile {
  const shared = new SharedJson<LeaderRecord | undefined>({ file, parse: readRecord, empty: undefined, log });
  return { update: (change) => shared.update(change), remove: () => rmSync(file, { force: true }) };
}

/** Only windows of this extension write it. */
function readRecord(value: unknown): LeaderRecord | undefined {
  const { window, beat, at, failing } = (value ?? {}) as Record<string, unknown>;
  return typeof window === 'string' && typeof beat === 'number' && typeof at === 'number' && Array.isArray(failing)
    ? { window, beat, at, failing: failing as LeaderRecord['failing'] }
    : undefined;
}
