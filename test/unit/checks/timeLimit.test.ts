import { deepStrictEqual, ok } from 'node:assert/strict';
import { checkPages } from '../../../src/checks/checkPages';
import { DEFAULT_LIMITS, type Repository, type TreeFile } from '../../../src/checks/ports';
import { NO_CONFIGURATION } from '../../../src/checks/configuration';
import type { Finding } from '../../../src/checks/finding';

/** More than can be looked at while the clock below says that there is time. */
const MANY = 2_000;

/** A repository in memory, which counts what is read of it. */
class CountedRepository implements Pick<Repository, 'tree' | 'contents' | 'addedLines'> {
  contentsRead = 0;
  pathsRead = 0;

  /** @param pages by path */
  constructor(private readonly pages: ReadonlyMap<string, string>) {}

  async tree() {
    const files = [...this.pages.keys()].map((path): TreeFile => {
      const looked = (): string => {
        this.pathsRead += 1;
        return path;
      };
      return {
        get path() {
          return looked();
        },
        id: '0',
        size: 1,
      };
    });
    return { files, submodules: 0, isCut: false };
  }

  async *contents(objects: readonly string[]): AsyncGenerator<Buffer | undefined> {
    for (const object of objects) {
      this.contentsRead += 1;
      const text = this.pages.get(object.replace(/^\w+:/, ''));
      yield text === undefined ? undefined : Buffer.from(text);
    }
  }

  async addedLines(): Promise<Map<string, Set<number>>> {
    return new Map([...this.pages.keys()].map((path) => [path, new Set(Array.from({ length: MANY }, (_, at) => at))]));
  }

  resolve = async (): Promise<string> => 'head';
  lacksHistory = async (): Promise<boolean> => false;
  countCommits = async (): Promise<number> => 0;
  read = async (path: string): Promise<Uint8Array> => new TextEncoder().encode(this.pages.get(path));
  changes = async function* (): AsyncGenerator<never> {
    // There is none.
  };
  grep = async (): Promise<never[]> => [];
}

describe('a check that runs out of time', () => {
  const findings: Finding[] = [];

  function partsOf(repository: CountedRepository) {
    findings.length = 0;
    let calls = 0;
    return {
      repositories: [repository as unknown as Repository] as const,
      configuration: NO_CONFIGURATION,
      limits: DEFAULT_LIMITS,
      listener: { finding: (finding: Finding) => void findings.push(finding), progress: () => undefined },
      // Each look at the clock takes a second, and there are two minutes.
      now: () => 1_000 * calls++,
    };
  }

  async function reasonsOfAdded(repository: CountedRepository): Promise<unknown> {
    const dependencies = { find: async () => new Set<string>(), isComplete: () => true };
    const added = { ...partsOf(repository), range: { base: 'base', head: 'head', dependencies } };
    return (await checkPages(added)).notChecked.map(({ reason }) => reason);
  }

  it('ends in the middle of a page’s links', async () => {
    const links = Array.from({ length: MANY }, (_, at) => `[a](/x${at}.md)\n`).join('\n');
    const repository = new CountedRepository(new Map([['docs/a.md', links]]));
    deepStrictEqual(await reasonsOfAdded(repository), ['time']);
    ok(findings.length > 0 && findings.length < 200, `${findings.length} links`);
  });

  it('ends in the middle of the changed pages, without a finding that may be wrong', async () => {
    const pages = Array.from({ length: MANY }, (_, at) => [`docs/${at}.md`, `See [a](${at}.md).`] as const);
    const repository = new CountedRepository(new Map(pages));
    deepStrictEqual(await reasonsOfAdded(repository), ['time']);
    ok(repository.contentsRead < 300, `${repository.contentsRead} pages`);
    deepStrictEqual(findings, []);
  });

  it('ends in the middle of the paths, which may be slow to compare with the repository’s globs', async () => {
    const files = Array.from({ length: MANY }, (_, at) => [`src/${at}.ts`, ''] as const);
    const repository = new CountedRepository(new Map(files));
    const { notChecked } = await checkPages(partsOf(repository));
    ok(notChecked.some(({ reason }) => reason === 'time'));
    ok(repository.pathsRead < 1_000, `${repository.pathsRead} paths`);
  });
});
