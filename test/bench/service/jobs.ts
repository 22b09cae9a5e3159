import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localBench } from '../../contract/contractBench';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { type Figure, figure } from '../figures';
import { timed } from './timed';

/** Measures a job whose agent finishes at once, compared with the git commands that any implementation needs. */
export async function measureJobs(rounds: number): Promise<Figure[]> {
  return [await measure(0, rounds), await measure(5000, rounds)];
}

async function measure(more: number, rounds: number): Promise<Figure> {
  const repo = await sampleRepository();
  await addFiles(repo, more);
  const files = (await git(repo, 'ls-files')).split('\n').filter((line) => line !== '').length;
  const agentCommand = ['sh', '-c', 'cat > /dev/null; echo more >> README.md'];
  const bench = await localBench({ repo, agentCommand, rateLimit: 1_000_000 });
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(
        ...(await timed(1, async () => {
          const { id } = await bench.client.createJob(bench.target, 'Add a line');
          await bench.ended(id);
        })),
      );
      theirs.push(...(await timed(1, () => bareGit(repo, round))));
    }
    const name = `a job with an instant agent, ${files.toLocaleString('en')} files`;
    const peer = { name: 'the required Git commands', measured: theirs };
    return figure({ name, unit: 'ms', ours, peer });
  } finally {
    await bench.close();
  }
}

/** Makes two clones and one commit, and fetches it as a branch into the user's repository. */
async function bareGit(repo: string, round: number): Promise<void> {
  const folder = await temporaryFolder();
  const [host, work] = [join(folder, 'host.git'), join(folder, 'work')];
  await git(folder, 'clone', '--quiet', '--bare', '--local', repo, host);
  await git(folder, 'clone', '--quiet', '--local', host, work);
  await writeFile(join(work, 'README.md'), `more ${round}\n`);
  await git(folder, `--git-dir=${host}`, `--work-tree=${work}`, 'read-tree', 'HEAD');
  await git(folder, `--git-dir=${host}`, `--work-tree=${work}`, 'add', '--all');
  await git(folder, `--git-dir=${host}`, `--work-tree=${work}`, 'commit', '--quiet', '-m', 'Add a line');
  await git(repo, 'fetch', '--quiet', host, `HEAD:refs/heads/bare/${round}`);
  await rm(folder, { recursive: true });
}

async function addFiles(repo: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const folder = join(repo, 'pages', String(index % 50));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `page-${index}.md`), `# Page ${index}\n\n${'A line of text.\n'.repeat(20)}`);
  }
  if (count > 0) {
    await git(repo, 'add', '--all');
    await git(repo, 'commit', '--quiet', '-m', 'Pages');
  }
}
