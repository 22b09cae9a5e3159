import { createHash } from 'node:crypto';
import type { NameOnPage } from './collectNames';
import type { DefaultClaim } from './defaultsOnPage';
import type { ClassifiedName } from './names';
import type { PageLink } from './pages/page';
import type { CacheStore } from './ports';
import type { ScriptClaim } from './scriptsOnPage';

/** Increase this number when a check would now read something else from the same contents. */
const VERSION = 7;

/** What a page says. */
export interface PageContent {
  names: NameOnPage[];
  links: PageLink[];
  defaults: DefaultClaim[];
  scripts: ScriptClaim[];
}

/** Which versions of files were read, and those that have each wanted thing. */
export interface KnownVersions {
  ids: Set<string>;
  /** By the key of a want. */
  having: Map<string, string[]>;
}

/** By commit and text: the pages that had it. */
export type KnownTexts = Map<string, Map<string, Set<string>>>;

/** A name is repeated on many pages, so each is kept once. */
interface SavedPage extends Omit<PageContent, 'names'> {
  content: string;
  /** With the number of each name. */
  names: (Omit<NameOnPage, 'name' | 'path'> & { name: number; path?: undefined })[];
}

interface Saved {
  key: string;
  names: ClassifiedName[];
  pages: [path: string, SavedPage][];
  versions: { ids: string[]; having: [string, string[]][] }[];
  texts: [commit: string, [text: string, paths: string[]][]][];
}

/**
 * What contents say that have an id, which never changes: pages, versions of files, and commits. So a check with the
 * cache finds the same as one without, whatever has changed.
 */
export class CheckCache {
  private readonly key: string;
  private readonly saved: Map<string, SavedPage>;
  private readonly savedNames: readonly ClassifiedName[];
  private readonly pages = new Map<string, SavedPage>();
  private readonly names: ClassifiedName[] = [];
  private readonly numbers = new Map<ClassifiedName | string, number>();
  private readonly versions: KnownVersions[];
  readonly texts: KnownTexts;

  private constructor(
    private readonly store: CacheStore | undefined,
    facts: unknown,
    loaded: unknown,
  ) {
    this.key = digest(JSON.stringify([VERSION, facts]));
    // What has the key was written by this version of the check.
    const isOwn = typeof loaded === 'object' && loaded !== null && 'key' in loaded && loaded.key === this.key;
    const saved = isOwn ? (loaded as Saved) : undefined;
    this.saved = new Map(saved?.pages);
    this.savedNames = saved?.names ?? [];
    this.versions = (saved?.versions ?? []).map(({ ids, having }) => ({ ids: new Set(ids), having: new Map(having) }));
    this.texts = new Map(
      saved?.texts.map(([commit, texts]) => [commit, new Map(texts.map(([text, paths]) => [text, new Set(paths)]))]),
    );
  }

  /** @param facts what is read depends on, besides the contents */
  static async open(store: CacheStore | undefined, facts: unknown): Promise<CheckCache> {
    return new CheckCache(store, facts, await store?.load());
  }

  /** Returns what a page says, which is read only if it has changed. */
  page(path: string, content: Uint8Array, read: () => PageContent): PageContent {
    if (this.store === undefined) {
      return read();
    }
    const id = digest(content);
    const known = this.saved.get(path);
    const isKnown = known?.content === id;
    const page = isKnown ? this.restore(known, path) : read();
    const names = page.names.map(({ name, ...place }) => ({
      ...place,
      path: undefined,
      name: this.number(name, isKnown),
    }));
    this.pages.set(path, { ...page, content: id, names });
    return page;
  }

  private restore({ names, links, defaults, scripts }: SavedPage, path: string): PageContent {
    const restored = names.flatMap(({ name: at, ...place }) => {
      const name = this.savedNames[at];
      return name === undefined ? [] : [{ ...place, name, path }];
    });
    return { names: restored, links, defaults, scripts };
  }

  /** @param isSaved whether equal names are one object */
  private number(name: ClassifiedName, isSaved: boolean): number {
    const key = isSaved ? name : JSON.stringify(name);
    const at = this.numbers.get(key) ?? this.names.push(name) - 1;
    this.numbers.set(key, at);
    return at;
  }

  /** What is known of the versions in the history of a repository. */
  versionsOf(repository: number): KnownVersions {
    return (this.versions[repository] ??= { ids: new Set(), having: new Map() });
  }

  async save(): Promise<void> {
    const { store, key, pages, names, versions, texts } = this;
    await store?.save({
      key,
      names,
      pages: [...pages],
      versions: Array.from(versions, (each) => ({ ids: [...each.ids], having: [...each.having] })),
      texts: Array.from(texts, ([commit, found]) => [commit, Array.from(found, ([text, paths]) => [text, [...paths]])]),
    } satisfies Saved);
  }
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
