import type { Loss, Want } from './codeHistory';
import type { CodeNow } from './codeNow';
import type { DefaultsNow } from './defaultClaims';
import { type DefaultClaim, defaultsOnPage } from './defaultsOnPage';
import type { Finding } from './finding';
import { type DeadLink, evidenceOfFile, fileOf, goneLink } from './linkClaims';
import { Losses } from './losses';
import type { NameClaim } from './nameClaims';
import type { ClassifiedName } from './names';
import { isOtherCode } from './ownNames';
import { readPage } from './pages/readPage';
import { pageFormat } from './paths';
import type { Change, Repository, TreeFile } from './ports';
import { isPathOf, RemovedFiles } from './removedFiles';
import { isManifest, scriptsIn, type ScriptsNow } from './scripts';
import { type ScriptClaim, scriptsOnPage } from './scriptsOnPage';

/** Something that pages say, and that the code no longer has. */
export interface LostClaim {
  /** What a page must have said before the code lost it. */
  text: string;
  /** The changes that took it out of the code, newest first. */
  losses: readonly Loss[];
  report: (loss: Loss) => void;
  /** Whether a page that has the text says it; otherwise, the text suffices. */
  isSaid?: (page: string, path: string) => boolean;
}

/** A name that the code doesn't have: the words of each missing group. */
export interface MissingName {
  claim: NameClaim;
  groups: string[][];
}

/** The same, with what is looked for in the history. */
export interface SoughtName {
  claim: NameClaim;
  groups: { word: string; want: Want }[][];
}

/** Environment variables of platforms, which libraries read without a trace in the code. */
const VARIABLE_OF_OTHERS = /^(?:AWS|AZURE|CI|DOCKER|GCP|GITHUB|GITLAB|GOOGLE|HTTPS?|JAVA|KUBE|NO|NODE|NPM|PYTHON|XDG)_/;

/** How many files a commit removes at least that may have moved them to another repository. */
const MANY_FILES = 10;

/** What the code depends on. */
const LIST_OF_PACKAGES =
  /(?:^|\/)(?:go\.mod|gemfile|[^/]+\.gemspec|cargo\.toml|package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|pom\.xml|[^/]+\.gradle(?:\.kts)?|[^/]+\.versions\.toml|[^/]+\.csproj|composer\.json)$/i;

interface Parts {
  repositories: readonly Repository[];
  report: (finding: Finding) => void;
  /** The code of each repository now. */
  code: readonly CodeNow[];
  /** The files of the repository of the pages. */
  files: readonly TreeFile[];
  isCode: (path: string, repository: number) => boolean;
}

/** Turns what the history says into claims that no longer hold: of names, files, links, scripts, and defaults. */
export class LostClaims {
  private readonly past: Losses;
  private readonly removed = new RemovedFiles();
  /** The commits that may have moved files to a package: they changed the packages, or removed many files. */
  private readonly moving = new Set<string>();

  constructor(private readonly parts: Parts) {
    this.past = new Losses(parts.repositories);
  }

  add(change: Change, repository: number): void {
    this.removed.add(change, repository);
    const { files } = change;
    const gone = files.filter(({ path, after }) => after === undefined && this.parts.isCode(path, repository));
    if (gone.length >= MANY_FILES || files.some(({ path }) => LIST_OF_PACKAGES.test(path))) {
      this.moving.add(change.commit.commit);
    }
  }

  /** The names that the code had as its own, and no longer has. */
  async names(sought: readonly SoughtName[], lost: Set<NameClaim>): Promise<LostClaim[]> {
    const { past, parts } = this;
    const found = sought.filter(
      ({ groups }) => groups.length > 0 && groups.every((group) => group.some(({ want }) => want.losses.length > 0)),
    );
    const losses = found.flatMap(({ groups }) => groups.flat().flatMap(({ want }) => want.losses));
    await past.load(losses);
    return found.flatMap(({ claim, groups }) => {
      lost.add(claim);
      const own = groups.map((group) =>
        past.own(claim.name, new Map(group.map(({ word, want }) => [word, want.losses]))),
      );
      const isOwn = own.every((each) => each.length > 0);
      if (!isOwn) {
        return [];
      }
      // All parts of a name were there only before the first of them was lost.
      const [first = []] = own.toSorted(
        (one, other) => (one[0]?.loss.commit.date ?? 0) - (other[0]?.loss.commit.date ?? 0),
      );
      const report = (loss: Loss): void => {
        const word = first.find((each) => each.loss === loss)?.word ?? '';
        const isThere = (each: string): boolean => parts.code.some((code) => code.mayHave(each));
        const { evidence, successor } = past.explain(loss, word, isThere);
        // The file may have moved to a package that the code uses now.
        const { commit } = loss.commit;
        const isChanged = first.some((each) => each.loss.commit.commit === commit && each.loss.after !== undefined);
        const hasMoved = this.moving.has(commit) && !isChanged;
        const certainty = hasMoved || VARIABLE_OF_OTHERS.test(claim.name.name) ? 'likely' : 'certain';
        for (const { path, line, column, endColumn, name } of claim.places) {
          this.parts.report({
            ...{ rule: 'gone-name', place: { path, line, column, endColumn }, name: name.name, kind: name.kind },
            ...{ certainty, evidence, successor: successorShown(successor, word, name) },
          });
        }
      };
      return [{ text: claim.name.name, losses: byCommit(first.map(({ loss }) => loss)), report }];
    });
  }

  /** The files and folders that pages name. */
  namedFiles(missing: readonly MissingName[], lost: Set<NameClaim>): LostClaim[] {
    const { removed, parts } = this;
    return missing.flatMap(({ claim, groups: [[named = ''] = []] }) => {
      const files =
        claim.name.kind === 'file' ? removed.of(named) : isPackage(claim.name) ? removed.of(claim.name.name) : [];
      if (files.length > 0) {
        lost.add(claim);
      }
      return claim.places.map((place) => {
        // Pages name files of the reader's project, too, which the repository may have for its own documentation.
        const meant = files.filter(
          ({ loss }) =>
            claim.name.kind !== 'file' ||
            (parts.isCode(loss.path, loss.repository) &&
              !isOtherCode(loss.path) &&
              mayMean(loss.path, named, place.path)),
        );
        const report = (loss: Loss): void => {
          const file = meant.find((each) => each.loss === loss);
          const successor = file && removed.movedTo(file, (path) => parts.code.some((code) => code.hasPath(path)));
          const { path, line, column, endColumn, name } = place;
          this.parts.report({
            ...{ rule: 'gone-name', place: { path, line, column, endColumn }, name: name.name, kind: name.kind },
            ...{ certainty: 'certain', evidence: evidenceOfFile(loss), successor: successor ?? null },
          });
        };
        return { text: claim.name.name, losses: meant.map(({ loss }) => loss), report };
      });
    });
  }

  links(links: readonly DeadLink[]): LostClaim[] {
    const { removed, parts } = this;
    const isThere = (path: string): boolean => parts.files.some((file) => file.path === path);
    return links.map((link) => ({
      text: fileOf(link.link),
      losses: removed.target(link.target).map(({ loss }) => loss),
      report: (loss) => this.parts.report(goneLink(link, loss, removed, isThere)),
    }));
  }

  /** The scripts that commits took out of a manifest. */
  async scripts(old: readonly { claim: ScriptClaim; want: Want }[], now: ScriptsNow): Promise<LostClaim[]> {
    await this.past.load(old.flatMap(({ want }) => want.losses));
    return old.map(({ claim: { tool, script, shown, place }, want }) => {
      const isThere = (each: string): boolean => now.has(tool, each);
      const report = (loss: Loss): void => {
        const { evidence, ...found } = this.past.explain(loss, script, isThere, (line) => scriptsIn(tool, line));
        const successor = found.successor === undefined ? null : shown.slice(0, -script.length) + found.successor;
        // The package may have moved to another repository.
        const certainty = loss.after === undefined ? 'likely' : 'certain';
        this.parts.report({ rule: 'gone-name', kind: 'script', name: shown, place, certainty, evidence, successor });
      };
      const isSaid = (text: string, path: string): boolean =>
        scriptsOnPage(readPage(text, pageFormat(path) ?? 'markdown'), path).some(
          (each) => each.tool === tool && each.script === script,
        );
      return { text: shown, losses: want.losses.filter(({ path }) => isManifest(tool, path)), report, isSaid };
    });
  }

  /** The defaults that commits replaced in a definition by one that is still there. */
  async defaults(old: readonly { claim: DefaultClaim; wants: Want[] }[], defaults: DefaultsNow): Promise<LostClaim[]> {
    const { past } = this;
    await past.load(old.flatMap(({ wants }) => wants.flatMap(({ losses }) => losses)));
    return old.flatMap(({ claim, wants }) => {
      const changes = wants
        .flatMap((want) => want.losses)
        .flatMap((loss) => past.changedDefault(loss, claim, defaults.of(claim.name)) ?? [])
        .toSorted((one, other) => other.evidence.commit.date - one.evidence.commit.date);
      const { name, kind, place, shown } = claim;
      const report = (loss: Loss): void => {
        const change = changes.find((each) => each.loss === loss);
        if (change !== undefined) {
          const { evidence, current } = change;
          const found = { name, kind, place, documented: shown, current, evidence };
          this.parts.report({ rule: 'changed-default', ...found, certainty: 'certain' });
        }
      };
      const isSaid = (page: string, path: string): boolean => saysDefault(page, path, claim);
      return [{ text: name, losses: changes.map(({ loss }) => loss), report, isSaid }];
    });
  }
}

/** The first loss of each commit. */
function byCommit(losses: readonly Loss[]): Loss[] {
  return [...new Map(losses.toReversed().map((loss) => [loss.commit.commit, loss])).values()].toReversed();
}

function saysDefault(text: string, path: string, { name, literal }: DefaultClaim): boolean {
  const format = pageFormat(path);
  const page = format && readPage(text, format);
  return (
    page !== undefined && defaultsOnPage(page, path).some((each) => each.name === name && each.literal === literal)
  );
}

/** Whether a name may be the folder of a package in a repository of several: `retry-client-core`. */
function isPackage({ kind, name }: ClassifiedName): boolean {
  return kind === 'identifier' && name.split('-').length > 2;
}

/**
 * Whether a page may mean a file that was removed: pages name files from the top of the repository, or from a folder
 * that the page is in. Other paths, and names without a folder, mostly mean files of the reader.
 */
function mayMean(removed: string, named: string, page: string): boolean {
  return named.includes('/') && isPathOf(removed, named) && page.startsWith(removed.slice(0, -named.length));
}

/** The successor of a word, in the notation of the page. */
function successorShown(
  successor: string | undefined,
  word: string,
  { kind, name }: Pick<ClassifiedName, 'kind' | 'name'>,
): string | null {
  if (successor === undefined) {
    return null;
  }
  if (kind === 'flag') {
    return `--${successor.replaceAll('_', '-')}`;
  }
  return kind === 'keyPath' ? name.replace(word, () => successor) : successor;
}
