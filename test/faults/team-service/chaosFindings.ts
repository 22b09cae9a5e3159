import { git } from '../../support/temporaryRepository';
import type { TeamFixture } from '../../support/teamFixture';
import type { ChaosReader } from './chaosReader';

/** Promises that were broken, by what happened to which message. */
export interface ChaosFindings {
  /** Accepted messages without a turn, turns that have not ended, and those whose page isn't in the branch. */
  lost: string[];
  /** Turns whose agent found another one of the job running. */
  twice: string[];
  /** Turns that began after a later one of their job. */
  outOfOrder: string[];
  /** Turns that failed for another reason than two crashes of their worker. */
  failed: string[];
  /** Turns about which something was written after they had ended. */
  writtenLater: string[];
  /** Projects that have accepted more messages in an hour than the limit plus one. */
  overLimit: string[];
  /** Jobs whose activity log a reader saw with a gap, or with an event twice. */
  misread: string[];
}

const TURNS = `
  SELECT turns.id, turns.state, turns.reason, jobs.branch, substring(turns.prompt FROM '\\[turn (\\S+) wait') AS label
  FROM turns JOIN jobs ON jobs.id = turns.job_id ORDER BY turns.id`;

/** An hour is longer than the test, so that all messages count. */
const MESSAGES = 'SELECT project_id, operation, count(*)::integer AS count FROM turns GROUP BY project_id, operation';

const WRITTEN_LATER = `
  SELECT DISTINCT turn_id FROM activity AS later WHERE EXISTS (
    SELECT 1 FROM activity AS ended WHERE ended.turn_id = later.turn_id AND ended.id < later.id
      AND ended.entry::json->>'kind' = 'state' AND ended.entry::json->>'state' IN ('done', 'failed', 'cancelled'))`;

interface Turn {
  id: string;
  state: string;
  reason: string | null;
  branch: string;
  label: string;
}

/** Compares what clients, agents, and readers saw with the tables and the branches. */
export async function chaosFindings(
  team: TeamFixture,
  { accepted, readers, rateLimit }: { accepted: readonly string[]; readers: readonly ChaosReader[]; rateLimit: number },
): Promise<ChaosFindings> {
  const turns = (await team.administer(TURNS)) as unknown as Turn[];
  const byLabel = new Map(turns.map((turn) => [turn.label, turn]));
  const written = await pagesOf(team, turns);
  const messages = await team.administer(MESSAGES);
  const later = await team.administer(WRITTEN_LATER);
  const journal = team.journal().map(({ what, job, turn }) => ({ what, job, label: `${job}/${turn}` }));
  return {
    lost: [
      ...accepted.filter((label) => !byLabel.has(label)).map((label) => `${label} is unknown`),
      ...turns.filter(({ state }) => !ENDED.has(state)).map(({ label, state }) => `${label} is ${state}`),
      ...turns
        .filter(({ state, label }) => state === 'done' && !written.has(label))
        .map(({ label }) => `${label} is not in its branch`),
    ],
    twice: journal.filter(({ what }) => what === 'twice').map(({ label }) => label),
    outOfOrder: outOfOrder(journal, byLabel),
    failed: turns
      .filter(({ state, reason }) => state === 'failed' && reason?.includes('workersCrashed') !== true)
      .map(({ label, reason }) => `${label}: ${reason ?? 'no reason'}`),
    writtenLater: later.map((row) => turns.find(({ id }) => id === row['turn_id'])?.label ?? ''),
    overLimit: messages
      .filter(({ count }) => (count as number) > rateLimit + 1)
      .map((row) => `${row['project_id'] as string} ${row['operation'] as string}: ${row['count'] as number}`),
    misread: await misread(team, readers),
  };
}

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

/** Returns the labels of all messages whose pages are in the branches of their jobs. */
async function pagesOf(team: TeamFixture, turns: readonly Turn[]): Promise<Set<string>> {
  const pages = new Set<string>();
  const branches = new Set(turns.filter(({ state }) => state === 'done').map(({ branch }) => branch));
  for (const branch of branches) {
    const names = await git(team.remote, 'ls-tree', '--name-only', branch).catch(() => '');
    for (const [, job = '', turn = ''] of names.matchAll(/^(\w+)-(\d+)\.md$/gm)) {
      pages.add(`${job}/${turn}`);
    }
  }
  return pages;
}

function outOfOrder(
  journal: readonly { what: string; job: string; label: string }[],
  turns: ReadonlyMap<string, Turn>,
): string[] {
  const newest = new Map<string, number>();
  return journal
    .filter(({ what }) => what === 'start')
    .flatMap(({ job, label }) => {
      const [id, before] = [Number(turns.get(label)?.id), newest.get(job) ?? 0];
      newest.set(job, Math.max(id, before));
      return id < before ? [label] : [];
    });
}

async function misread(team: TeamFixture, readers: readonly ChaosReader[]): Promise<string[]> {
  const found: string[] = [];
  for (const { jobId, seen } of readers) {
    const rows = await team.administer(`SELECT id FROM activity WHERE job_id = '${jobId}' ORDER BY id`);
    const [stored, got] = [rows.map(({ id }) => Number(id)).join(), seen.join()];
    if (stored !== got) {
      found.push(`${jobId}: ${got} instead of ${stored}`);
    }
  }
  return found;
}
