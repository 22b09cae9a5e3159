import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Git, GitError, NOT_TRUSTED } from '../../../git/git';

/** What git says about paths of a folder. */
export interface GitAnswer {
  /** Those that are ignored, that lie in what is, or of which git can't tell. */
  ignored: ReadonlySet<string>;
  /** Those that lie in no repository that git may be run in. */
  unknown: readonly string[];
}

/**
 * Asks git which paths it ignores: each repository in the folder, or around it, for what lies in it, and the one outside
 * for the one that lies in it. A folder that is reached by a link is asked for by where it really is.
 */
export class GitIgnored {
  /** The same folder is asked for by all that lies in it. */
  private readonly repositories = new Map<string, Promise<string | undefined>>();
  private readonly folders = new Map<string, Promise<string>>();

  constructor(
    private readonly git: Git,
    private readonly root: string,
  ) {}

  /** @param paths absolute */
  async among(paths: readonly string[]): Promise<GitAnswer> {
    const ignored = new Set<string>();
    const unknown: string[] = [];
    const asked = await Promise.all(paths.map(async (path) => ({ path, questions: await this.questions(path) })));
    const byRepository = new Map<string, Set<string>>();
    for (const { repository, inside } of asked.flatMap(({ questions }) => questions)) {
      byRepository.set(repository, (byRepository.get(repository) ?? new Set()).add(inside));
    }
    const answers = new Map(
      await Promise.all(
        [...byRepository].map(
          async ([repository, inside]) => [repository, await this.ask(repository, [...inside])] as const,
        ),
      ),
    );
    for (const { path, questions } of asked) {
      const answered = questions.map(({ repository, inside }) => answers.get(repository)?.has(inside));
      if (answered.includes(true)) {
        ignored.add(path);
      } else if (answered.length === 0 || answered.includes(undefined)) {
        unknown.push(path);
      }
    }
    return { ignored, unknown };
  }

  /** The path in its repository, and that repository in the next one, up to the folder that is asked about. */
  private async questions(path: string): Promise<{ repository: string; inside: string }[]> {
    const [root, parent] = await Promise.all([this.realFolder(this.root), this.realFolder(dirname(path))]);
    const found: { repository: string; inside: string }[] = [];
    let place = join(parent, path.slice(dirname(path).length));
    for (;;) {
      const repository = await this.repositoryOf(dirname(place));
      if (repository === undefined) {
        return found;
      }
      found.push({ repository, inside: `./${relative(repository, place).split(sep).join('/')}` });
      if (repository === root || !repository.startsWith(root + sep)) {
        return found;
      }
      place = repository;
    }
  }

  /** Undefined where git can't be run, or not in this repository. */
  private async ask(repository: string, paths: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    try {
      return await this.checkIgnore(repository, paths);
    } catch (error) {
      if (!(error instanceof GitError) || error.exitCode === undefined || error.code === NOT_TRUSTED) {
        return undefined;
      }
      if (/not a git repository/i.test(error.message)) {
        return undefined;
      }
    }
    // One that git can't tell of, as in a submodule that is not there, fails them all.
    const byFolder = Map.groupBy(paths, (path) => dirname(path));
    const found = [...byFolder.values()].map((some) => this.checkIgnore(repository, some).catch(() => new Set(some)));
    return new Set((await Promise.all(found)).flatMap((each) => [...each]));
  }

  private async checkIgnore(repository: string, paths: readonly string[]): Promise<Set<string>> {
    const user = await this.git.configured(repository, 'core.excludesFile');
    const own = user === undefined ? [] : ['-c', `core.excludesFile=${user}`];
    // The command takes no literal paths; with a dot before it, none is a pattern of `:` either.
    const args = [...own, '--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
    const home = process.env['XDG_CONFIG_HOME'];
    const environment: Record<string, string> = home === undefined ? {} : { XDG_CONFIG_HOME: home };
    try {
      const input = paths.map((path) => `${path}\0`).join('');
      return new Set((await this.git.run({ folder: repository }, args, { input, environment })).split('\0'));
    } catch (error) {
      // Exit code 1: none of them is (git-check-ignore(1)).
      if (error instanceof GitError && error.exitCode === 1) {
        return new Set();
      }
      throw error;
    }
  }

  /** The nearest folder at or above this one that holds a `.git`. */
  private repositoryOf(folder: string): Promise<string | undefined> {
    return once(this.repositories, folder, async () => {
      const holds = await lstat(join(folder, '.git')).then(
        () => true,
        () => false,
      );
      const above = dirname(folder);
      return holds ? folder : above === folder ? undefined : this.repositoryOf(above);
    });
  }

  private realFolder(folder: string): Promise<string> {
    return once(this.folders, folder, () => realpath(folder).catch(() => folder));
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? work();
  known.set(key, found);
  return found;
}
