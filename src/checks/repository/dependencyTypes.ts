import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { decodeJson } from '../../base/json';
import { wordsOf } from '../names';
import type { DependencyNames, Repository } from '../ports';

const MAX_MANIFEST = 4_000_000;

/** Manifests of packages whose declarations can't be read here. */
const OTHER_MANIFESTS =
  /^(?:requirements.*\.txt|pyproject\.toml|setup\.py|Pipfile|go\.mod|Cargo\.toml|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|.*\.csproj|mix\.exs|pubspec\.yaml|Package\.swift)$/;

/**
 * The names in the type declarations of directly installed npm packages. Reads files only, and none outside of the
 * repository: a link could lead to the user's whole disk.
 */
export class DependencyTypes implements DependencyNames {
  private complete = true;

  /** @param paths returns the paths of all files, relative to the repository */
  constructor(
    private readonly repository: Pick<Repository, 'read'> & { readonly folder: string },
    private readonly paths: () => Promise<readonly string[]>,
    private readonly signal: AbortSignal,
  ) {}

  async find(words: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const paths = await this.paths();
    if (paths.some((path) => OTHER_MANIFESTS.test(path.slice(path.lastIndexOf('/') + 1)))) {
      this.complete = false;
    }
    const packages = new Set<string>();
    const top = await realpath(this.repository.folder);
    for (const path of paths.filter((each) => /(?:^|\/)package\.json$/.test(each))) {
      for (const name of await this.dependenciesOf(path)) {
        const installed = await this.installed(top, path.split('/').slice(0, -1), name);
        if (installed === undefined) {
          this.complete = false;
        } else {
          packages.add(installed);
        }
      }
    }
    for (const folder of packages) {
      await this.read(folder, (text) => {
        for (const word of wordsOf(text)) {
          if (words.has(word)) {
            found.add(word);
          }
        }
      });
    }
    return found;
  }

  isComplete(): boolean {
    return this.complete;
  }

  private async dependenciesOf(path: string): Promise<string[]> {
    const bytes = await this.repository.read(path, MAX_MANIFEST);
    const manifest = bytes === undefined ? undefined : decodeJson(new TextDecoder().decode(bytes));
    if (typeof manifest !== 'object' || manifest === null) {
      return [];
    }
    const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
    const named = fields.flatMap((field) => {
      const value: unknown = (manifest as Record<string, unknown>)[field];
      return typeof value === 'object' && value !== null ? Object.keys(value) : [];
    });
    // A name with `..` would lead out of `node_modules`.
    return named
      .filter((name) => /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name))
      .flatMap((name) => [name, `@types/${name.replace(/^@([^/]+)\//, '$1__')}`]);
  }

  /**
   * Finds an installed package for this folder or one above it. A missing `@types` package is no problem, because not
   * every package has one: returns a folder that doesn't exist.
   */
  private async installed(top: string, folder: readonly string[], name: string): Promise<string | undefined> {
    for (let end = folder.length; end >= 0; end--) {
      const path = join(top, ...folder.slice(0, end), 'node_modules', name);
      const real = await realpath(path).catch(() => undefined);
      if (real !== undefined) {
        return real.startsWith(top + sep) ? real : undefined;
      }
    }
    return name.startsWith('@types/') ? top + NOTHING : undefined;
  }

  private async read(folder: string, visit: (text: string) => void): Promise<void> {
    this.signal.throwIfAborted();
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') {
        await this.read(path, visit);
      } else if (entry.isFile() && /\.d\.[cm]?ts$/.test(entry.name)) {
        visit(await readFile(path, 'latin1').catch(() => ''));
      }
    }
  }
}

/** A folder that doesn't exist. */
const NOTHING = '/node_modules/.none';
