import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type RunningService, startService } from '../support/serviceProcess';
import { git, sampleRepository, temporaryFolder } from '../support/temporaryRepository';
import type { Benchmark } from './benchWindow';

/** The files of the sample repository, which the agent changes. */
const FILES = ['README.md', 'docs/index.md', 'docs/getting-started.md', 'src/retry.ts'];

/** Jobs per round. The first one of a service also starts what others share, so it is not measured. */
const JOBS = 5;

/** The folder of another build, whose jobs are created alternately with those of this one. */
const BEFORE = process.env['DOCS_AGENT_BENCH_BEFORE'];

/**
 * What a job of the local service takes beside its agent, next to the git commands that it cannot do without, in
 * milliseconds; and its creation, next to that of another build if `DOCS_AGENT_BENCH_BEFORE` names its folder.
 */
export async function measureJobs(rounds: number): Promise<Benchmark> {
  const script = FILES.map((file) => `echo more >> ${file}`).join('; ');
  const bundles = [undefined, ...(BEFORE === undefined ? [] : [join(BEFORE, 'dist', 'service.mjs')])];
  const sides: Side[] = [];
  for (const bundle of bundles) {
    sides.push(await Side.start(script, bundle));
  }
  const plain: number[] = [];
  const repository = await sampleRepository();
  try {
    for (let round = 0; round < rounds * JOBS; round++) {
      for (const side of sides) {
        await side.job(round > 0);
      }
      plain.push(await requiredCommands(repository, script, `plain-${round}`));
    }
  } finally {
    await Promise.all(sides.map((side) => side.service.stop()));
  }
  const [own, other] = sides;
  return {
    title: 'A job of the local service',
    rows: [
      {
        name: 'overhead of a job',
        unit: 'ms',
        measured: own?.whole ?? [],
        baseline: { name: 'the git commands that it needs', measured: plain },
        maxRatio: 2.5,
      },
      {
        name: 'creating a job',
        unit: 'ms',
        measured: own?.created ?? [],
        ...(other && { baseline: { name: 'another build', measured: other.created }, maxRatio: 0.5 }),
      },
      ...(other
        ? [
            {
              name: 'overhead of a job in the other build',
              unit: 'ms' as const,
              measured: other.whole,
              baseline: { name: 'the git commands that it needs', measured: plain },
            },
          ]
        : []),
    ],
    about:
      'An agent that changes 4 files at once; no Git host. The commands are two clones, the agent’s script, `add`, `commit`, a fetch into the user’s repository, and `diff --numstat`, each once.',
  };
}

/** A service of one build, and how long its jobs took, in milliseconds. */
class Side {
  /** From the request until the job is created, and until it has ended. */
  readonly created: number[] = [];
  readonly whole: number[] = [];

  private constructor(readonly service: RunningService) {}

  static async start(script: string, bundle: string | undefined): Promise<Side> {
    const repo = await sampleRepository();
    return new Side(await startService({ repo, agentCommand: ['sh', '-c', script], bundle, rateLimit: 100_000 }));
  }

  async job(isMeasured: boolean): Promise<void> {
    const start = performance.now();
    const { id } = await this.call('POST', '', { prompt: 'Improve the pages' });
    const created = performance.now();
    while ((await this.call('GET', `/${id}`)).status === 'active') {
      await delay(2);
    }
    const ended = performance.now();
    if (isMeasured) {
      this.created.push(created - start);
      this.whole.push(ended - start);
    }
  }

  private async call(method: string, path: string, body?: unknown): Promise<{ id: string; status: string }> {
    const { baseUrl, projectId, key } = this.service;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${baseUrl}/v2/agent/${projectId}/job${path}`, { method, headers, ...sent });
    return (await answer.json()) as { id: string; status: string };
  }
}

/** The same result by plain git. */
async function requiredCommands(repository: string, script: string, branch: string): Promise<number> {
  const folder = await temporaryFolder();
  const [host, work] = [join(folder, 'host.git'), join(folder, 'work')];
  const file = join(folder, 'agent.sh');
  await writeFile(file, script);
  const start = performance.now();
  await git(folder, 'clone', '--quiet', '--bare', '--template=', repository, host);
  await git(folder, 'clone', '--quiet', '--shared', '--template=', host, work);
  await git(work, '-c', `alias.agent=!sh ${file}`, 'agent');
  await git(work, 'add', '--all');
  await git(work, 'commit', '--quiet', '-m', 'Improve the pages');
  await git(repository, 'fetch', '--quiet', '--no-tags', work, `HEAD:refs/heads/${branch}`);
  await git(repository, 'diff', '--numstat', `main...${branch}`);
  return performance.now() - start;
}
