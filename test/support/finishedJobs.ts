import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobEvent, Snapshot } from '../../src/jobs/events';
import { RECORD_VERSION } from '../../src/jobs/store/recordSchema';

const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };

/** How many jobs are written at once; a process can open only a limited number of files. */
const AT_ONCE = 200;

/** Records of one job as stored on disk: its events in order. */
export async function writeJob(root: string, key: string, made: readonly JobEvent[]): Promise<void> {
  const folder = join(root, key);
  await mkdir(folder, { recursive: true });
  const records = made.map((event, at) => {
    const stamp = `0000000${String(at).padStart(2, '0')}-a`;
    return writeFile(join(folder, `${stamp}.json`), JSON.stringify({ version: RECORD_VERSION, event }));
  });
  await Promise.all(records);
}

/** Writes the records of this many finished jobs below `root`. Returns their keys. */
export async function writeFinishedJobs(root: string, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => `job${String(index).padStart(13, '0')}`);
  for (let first = 0; first < count; first += AT_ONCE) {
    await Promise.all(
      keys.slice(first, first + AT_ONCE).map((key, place) => writeFinishedJob(root, key, first + place)),
    );
  }
  return keys;
}

async function writeFinishedJob(root: string, key: string, index: number): Promise<void> {
  const folder = join(root, key);
  await mkdir(folder, { recursive: true });
  const claims = [`claim-s${index}`, `notice-s${index}`].map((name) => writeFile(join(folder, name), ''));
  const records = events(index).map((event, place) => {
    const stamp = `${event.at.toString(36).padStart(9, '0')}-${place.toString(16).padStart(16, '0')}`;
    return writeFile(join(folder, `${stamp}.json`), JSON.stringify({ version: RECORD_VERSION, event }));
  });
  await Promise.all([...claims, ...records]);
}

function events(index: number): JobEvent[] {
  const at = Date.UTC(2026, 0, 1) + index * 60_000;
  const send = `s${index}`;
  return [
    { type: 'send', at, promptId: send, kind: 'create', text: `Document part ${index} of the handbook`, location },
    { type: 'created', at: at + 1000, promptId: send, job: snapshot(index, 'active', null), location },
    {
      type: 'changed',
      at: at + 2000,
      run: send,
      job: snapshot(index, 'completed', `https://forge.example/${index}`),
      end: true,
    },
    { type: 'seen', at: at + 3000 },
  ];
}

function snapshot(index: number, status: string, prLink: string | null): Snapshot {
  return { id: `j${index}`, status, prLink, ref: null, repository: null, model: null, createdAt: null, error: null };
}
