import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { WireJob } from '../../../src/protocol/job';
import { projectSettingsSchema } from '../../../src/protocol/localService';
import { type LocalBench, localBench, localCalls, waitUntil } from '../../contract/contractBench';
import {
  commitOn,
  HOST_KINDS,
  HOST_SECRET,
  type HostedPull,
  type HostedRepository,
  type HostKind,
  type HostRule,
  type MergeMethod,
  ReviewHost,
  runGit,
  tipOf,
} from '../../support/reviewHost';
import { report, scaled, seed } from '../../support/scale';
import { customAgent } from '../../support/sampleTurn';
import { testNode } from '../../support/serviceProcess';
import { git, temporaryFolder } from '../../support/temporaryRepository';

const AGENT = [testNode(), fileURLToPath(new URL('./slotAgent.mjs', import.meta.url))];
const HISTORIES = scaled(12, 200);
const STEPS = 9;
const PAGES = ['docs/a.md', 'docs/b.md'] as const;
const SLOTS = [1, 2, 3] as const;
const IMAGE = 'docs/a.png';
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
const PAGE = `# Page\n\n${SLOTS.map((slot) => `Slot ${slot}:`).join('\n\n\n\n\n')}\n`;

interface Place {
  page: (typeof PAGES)[number];
  slot: (typeof SLOTS)[number];
}

type Step =
  | ({ do: 'followUp'; resolve: boolean; breaks: 'nothing' | 'secret' | 'size' | 'mends' } & Place)
  | ({ do: 'stopped' | 'reviewerCommits' | 'userCommits' | 'baseMoves' } & Place)
  | { do: 'image'; path: string }
  | { do: 'userPulls' | 'updateBranch' | 'close' | 'reopen' }
  | { do: 'merge'; method: MergeMethod; deletes: boolean }
  | { do: 'rule'; rule: HostRule | undefined };

const place = { page: fc.constantFrom(...PAGES), slot: fc.constantFrom(...SLOTS) };
const alone = <const D extends string>(...names: D[]) => fc.record({ do: fc.constantFrom(...names) });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('followUp' as const),
        resolve: fc.boolean(),
        breaks: fc.constantFrom('nothing', 'nothing', 'secret', 'size', 'mends'),
        ...place,
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('reviewerCommits', 'userCommits', 'baseMoves'), ...place }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stopped' as const), ...place }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('image' as const), path: fc.constantFrom(IMAGE, 'docs/b.png') }),
    },
    { weight: 4, arbitrary: alone('userPulls', 'updateBranch', 'close', 'reopen') },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('merge' as const),
        method: fc.constantFrom('merge', 'squash', 'rebase'),
        deletes: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('rule' as const),
        rule: fc.constantFrom(undefined, undefined, 'secret', 'size', 'signOff'),
      }),
    },
  ),
  { minLength: 1, maxLength: STEPS },
);

/** One job in a repository of its own, and the people around it. */
class History {
  /** The commits that people made, and their words. */
  private readonly commits = new Map<string, string>();
  /** The words of people that stay on a branch whose pull request was merged without them. */
  private readonly stranded = new Set<string>();
  private job!: WireJob;
  private words = 0;
  private rule: HostRule | undefined;
  /** What happened, for a failure's message. */
  readonly told: string[] = [];

  private constructor(
    private readonly bench: LocalBench,
    private readonly calls: ReturnType<typeof localCalls>,
    private readonly repo: string,
    private readonly host: HostedRepository,
  ) {}

  static async begin(service: LocalBench, at: ReviewHost, name: string): Promise<History> {
    const repo = await sampleSite();
    const host = await at.add(`team/${name}`, repo);
    await git(repo, 'remote', 'add', 'origin', `${host.url}.git`);
    await git(repo, 'fetch', '--quiet', 'origin');
    await git(repo, 'branch', '--quiet', '--set-upstream-to=origin/main', 'main');
    const settings = projectSettingsSchema.parse({ ...customAgent(AGENT), publish: true });
    const registered = await localCalls(service).call('PUT', '/local/projects', { folder: repo, settings });
    assert.equal(registered.status, 200, JSON.stringify(registered.body));
    const target = { ...service.target, projectId: String(registered.body['projectId']) };
    const bench = { ...service, target, repo };
    const history = new History(bench, localCalls(bench), repo, host);
    history.job = await bench.client.createJob(target, history.prompt(history.added({ page: 'docs/a.md', slot: 1 })));
    await history.ended();
    assert.equal(history.job.status, 'completed', JSON.stringify(history.job));
    return history;
  }

  async take(step: Step): Promise<void> {
    this.told.push(JSON.stringify(step));
    const { pull, branch, host } = this;
    switch (step.do) {
      case 'followUp':
        return this.followUp(step);
      case 'stopped':
        return this.stopped(step);
      case 'image':
        return this.message(`[put raw-image in ${step.path}]`, true);
      case 'reviewerCommits':
        return this.commit(host.folder, branch, step);
      case 'userCommits':
        return this.commit(join(this.repo, '.git'), branch, step);
      case 'baseMoves':
        return this.commit(host.folder, 'main', step);
      case 'userPulls':
        await git(this.repo, 'pull', '--quiet', '--ff-only', 'origin', 'main');
        return;
      case 'updateBranch':
        this.tell(pull?.state === 'open' && (await host.updateBranch(pull)));
        return;
      case 'close':
        return pull?.state === 'open' ? host.close(pull) : undefined;
      case 'reopen':
        this.tell(pull?.state === 'closed' && (await host.reopen(pull)));
        return;
      case 'merge':
        this.tell(pull?.state === 'open' && (await host.merge(pull, step.method, step.deletes)));
        return;
      case 'rule':
        this.rule = step.rule;
        return host.enforce(step.rule);
    }
  }

  /** Once the host accepts everything, two follow-ups bring the job forward, and its work can be merged. */
  async finish(): Promise<void> {
    await this.take({ do: 'rule', rule: undefined });
    const last: Step = { do: 'followUp', resolve: true, breaks: 'mends', page: 'docs/b.md', slot: 3 };
    await this.take(last);
    if (this.job.status !== 'completed' || isForLfs(this.job['note'])) {
      await git(this.repo, 'push', '--quiet', 'origin', this.branch).catch((error: unknown) => this.tell(error));
      await this.take(last);
    }
    assert.equal(this.job.status, 'completed', 'the job is stuck');
    const { pull, host } = this;
    assert.equal(pull?.state, 'open', 'the work is in no open pull request');
    await this.checkFiles();
    assert.ok(await host.merge(pull, 'merge', false), 'the pull request has conflicts');
    const merged = await this.wordsIn(host.folder, 'main');
    const missing = Array.from({ length: this.words }, (_, index) => `w${index + 1}`).filter(
      (word) => !merged.has(word) && !this.stranded.has(word),
    );
    assert.deepEqual(missing, [], 'words are lost');
  }

  private async followUp({ resolve, breaks, ...at }: Extract<Step, { do: 'followUp' }>): Promise<void> {
    const more = {
      nothing: '',
      secret: `[put ${HOST_SECRET} in docs/key.md]`,
      size: '[write 33000 bytes to docs/long.md]',
      mends: '[write 0 bytes to docs/key.md][write 0 bytes to docs/long.md]',
    };
    await this.message(`${more[breaks]}${this.added(at)}`, resolve);
  }

  private async message(text: string, resolve: boolean): Promise<void> {
    const { host } = this;
    const open = this.openPulls;
    const before = await this.run(async () => {
      await this.bench.client.sendMessage(this.bench.target, this.job.id, this.prompt(text, resolve));
    });
    const { status, error, note, prLink } = this.job;
    this.tell([status, error, note, prLink].filter((each) => each !== undefined).join(' '));
    assert.ok(this.openPulls.length <= 1 || this.openPulls.length <= open.length, 'there is a second pull request');
    if (status === 'completed' && !isForLfs(note)) {
      const after = await this.wordsIn(host.folder, this.branch);
      const missing = [...before].filter((word) => !after.has(word));
      assert.deepEqual(
        missing.filter((word) => !this.stranded.has(word)),
        [],
        'words of the branch are lost',
      );
      const [there, here] = [await host.tip(this.branch), await tipOf(join(this.repo, '.git'), this.branch)];
      assert.equal(there, here, 'the branches differ');
    } else if (status !== 'completed') {
      assert.ok(this.rule !== undefined || !resolve, `failed: ${String(this.job['error'])}`);
    }
    await this.checkCommits();
  }

  /** Waits for the end of a run. Returns the words that the job's branch had before. */
  private async run(work: () => Promise<void>): Promise<Set<string>> {
    const { branch } = this;
    const before = await this.wordsOfJob();
    await work();
    await this.ended();
    if (this.branch !== branch) {
      const merged = await this.wordsIn(this.host.folder, 'main');
      const left = [...before].filter((word) => this.commits.has(word) && !merged.has(word));
      left.forEach((word) => this.stranded.add(word));
    }
    return before;
  }

  /** An agent that has changed something, and is stopped by the user. */
  private async stopped(at: Place): Promise<void> {
    const started = join(await temporaryFolder(), 'started');
    const { id } = this.job;
    const prompt = this.prompt(`${this.added(at)}[wait ${started}]`, true);
    await this.run(async () => {
      await this.bench.client.sendMessage(this.bench.target, id, prompt);
      await waitUntil(async () => (await exists(started)) || (await this.hasEnded()));
      await this.calls.cancel(id);
    });
  }

  private async commit(gitDir: string, branch: string, { page, slot }: Place): Promise<void> {
    if ((await tipOf(gitDir, branch)) !== undefined) {
      const word = this.word();
      const add = (text: string) => text.replace(new RegExp(`^Slot ${slot}:.*`, 'm'), `$& ${word}`);
      this.commits.set(word, await commitOn(gitDir, branch, page, add));
    }
  }

  /** Every commit of a person is still somewhere. */
  private async checkCommits(): Promise<void> {
    for (const commit of this.commits.values()) {
      const holds = (gitDir: string) =>
        runGit(gitDir, ['for-each-ref', '--count=1', `--contains=${commit}`]).catch(() => '');
      const found = await Promise.all([holds(this.host.folder), holds(join(this.repo, '.git'))]);
      assert.notEqual(found.join(''), '', `commit ${commit} is lost`);
    }
  }

  /** No commit anywhere has a conflict marker, or a raw file in place of a pointer. */
  private async checkFiles(): Promise<void> {
    for (const gitDir of [this.host.folder, join(this.repo, '.git')]) {
      const commits = (await runGit(gitDir, ['rev-list', '--all'])).trim().split('\n');
      const marked = await runGit(gitDir, ['grep', '-lE', '^(<<<<<<<|=======$|>>>>>>>)', ...commits, '--']).catch(
        () => '',
      );
      assert.equal(marked, '', 'conflict markers');
      const raw = await runGit(gitDir, ['grep', '-L', '^version https://git-lfs', ...commits, '--', '*.png']).catch(
        () => '',
      );
      assert.equal(raw, '', 'raw files in place of pointers');
    }
  }

  private async wordsOfJob(): Promise<Set<string>> {
    const places = [this.host.folder, join(this.repo, '.git')];
    const found = await Promise.all(places.map((gitDir) => this.wordsIn(gitDir, this.branch)));
    return new Set(found.flatMap((each) => [...each]));
  }

  private async wordsIn(gitDir: string, branch: string): Promise<Set<string>> {
    const found = await Promise.all(
      PAGES.map((page) => runGit(gitDir, ['cat-file', 'blob', `refs/heads/${branch}:${page}`]).catch(() => '')),
    );
    return new Set(found.join('\n').match(/\bw\d+\b/g) ?? []);
  }

  private get branch(): string {
    return this.job.source?.ref ?? '';
  }

  /** The pull request that the job shows. */
  private get pull(): HostedPull | undefined {
    const number = Number(/\/(\d+)$/.exec(this.job.prLink ?? '')?.[1]);
    return this.host.pulls.find((pull) => pull.number === number);
  }

  private get openPulls(): HostedPull[] {
    return this.host.pulls.filter(({ state }) => state === 'open');
  }

  private word(): string {
    this.words += 1;
    return `w${this.words}`;
  }

  private added({ page, slot }: Place): string {
    return `[add ${this.word()} to ${slot} of ${page}]`;
  }

  private prompt(text: string, resolve = false): string {
    return `Change the pages\n${resolve ? '[resolve]' : ''}${text}`;
  }

  private async hasEnded(): Promise<boolean> {
    return (await this.bench.client.retrieveJob(this.bench.target, this.job.id)).status !== 'active';
  }

  private async ended(): Promise<void> {
    await waitUntil(() => this.hasEnded());
    this.job = await this.bench.client.retrieveJob(this.bench.target, this.job.id);
  }

  private tell(what: unknown): void {
    this.told.push(`  → ${String(what)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  return import('node:fs').then(({ existsSync }) => existsSync(path));
}

/** Whether the user has to push, with Git LFS. */
function isForLfs(note: unknown): boolean {
  return String(note).includes('because Git LFS has to upload');
}

async function sampleSite(): Promise<string> {
  const repo = await temporaryFolder();
  await mkdir(join(repo, 'docs'));
  const files = { [PAGES[0]]: PAGE, [PAGES[1]]: PAGE, [IMAGE]: POINTER, '.gitattributes': '*.png filter=lfs -text\n' };
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(repo, path), text)));
  await git(repo, 'init', '--quiet', '--template=');
  await git(repo, 'add', '--all');
  await git(repo, 'commit', '--quiet', '-m', 'Begin');
  return repo;
}

describe('local service, a job among other people’s work', function () {
  let service: LocalBench;
  const hosts = new Map<HostKind, ReviewHost>();

  before(async () => {
    const home = await temporaryFolder();
    const helper = '!f() { echo username=robin; echo password=a-token; }; f';
    await writeFile(
      join(home, '.gitconfig'),
      `[user]\n\tname = Robin\n\temail = robin@example.org\n[credential]\n\thelper = "${helper}"\n`,
    );
    service = await localBench({ environment: { HOME: home }, publish: true, concurrency: 4, rateLimit: 100_000 });
    for (const kind of HOST_KINDS) {
      hosts.set(kind, await ReviewHost.start(kind));
    }
  });
  after(async () => {
    await service.close();
    await Promise.all([...hosts.values()].map((host) => host.close()));
  });

  it('loses nobody’s commit, opens no second pull request, and can always be brought forward', async function () {
    this.timeout(60_000 + HISTORIES * 60_000);
    let count = 0;
    const live = async (kind: HostKind, done: readonly Step[]): Promise<void> => {
      count += 1;
      const history = await History.begin(service, hosts.get(kind)!, `docs${count}`);
      try {
        for (const step of done) {
          await history.take(step);
        }
        await history.finish();
      } catch (error) {
        throw new Error(`${kind}: ${String(error)}\n${history.told.join('\n')}`, { cause: error });
      }
    };
    const numRuns = Math.ceil(HISTORIES / HOST_KINDS.length);
    const all = HOST_KINDS.map((kind, index) =>
      fc.assert(
        fc.asyncProperty(steps, (done) => live(kind, done)),
        { seed: seed + index, numRuns },
      ),
    );
    const ends = await Promise.allSettled(all);
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
    const texts = failures.map(
      (error) => `${error.message}\n${error.cause instanceof Error ? error.cause.message : ''}`,
    );
    assert.equal(texts.join('\n\n'), '', `seed ${seed}`);
    report({
      promise: 'S15',
      what: `${numRuns * HOST_KINDS.length} random histories of others’ commits, merges, refusals, and follow-ups`,
      figure: '0 commits lost, 0 second pull requests, 0 jobs stuck',
    });
  });
});
