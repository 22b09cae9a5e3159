import { posix } from 'node:path';
import { MAX_NAME, READ_MS } from '../../base/limits';
import type { Git } from '../../git/git';
import { streamEntries } from '../../git/streamEntries';
import { DOCUMENTATION_RULES, documentationRules } from './repositoryTexts';

/** Maximum number of names of a kind in the guidance. */
const MAX_NAMES = 6;

/** Notice for an agent that is started again for the same message. */
export const INTERRUPTED =
  'Work on this message was interrupted. The folder may contain what was done so far. Review it first, don’t repeat it, and finish the rest.';

/** Files that mark the root of a documentation site, most reliable first. */
const SITES = [/^(docs|mint)\.json$/, /^mkdocs\.ya?ml$/, /^docusaurus\.config\.(js|cjs|mjs|ts|mts|cts)$/];

const HOUSE_RULES = /^(AGENTS|CONTRIBUTING)\.md$/i;
const README = /^README\.mdx?$/i;

/** Folders whose files are not the repository's own documentation. */
const FOREIGN = /(^|\/)(node_modules|vendor|third_party|\.[^/]*|dist|build|tests?|fixtures|examples?)\//i;

/**
 * Describes a repository to an agent, by the file names in the newest commit of the job's branch: where the
 * documentation is and which files contain the house rules. Uses only names, except for the content of one file with
 * rules. Returns an empty string when there is nothing to report, on an error, or on a timeout.
 */
export async function describeRepository(git: Git, hostGit: string): Promise<string> {
  try {
    const place = { folder: hostGit, gitDir: hostGit };
    const reader = new GuidanceReader();
    const signal = AbortSignal.timeout(READ_MS);
    for await (const entries of streamEntries(git, place, ['ls-tree', '-r', '-z', 'HEAD'], { signal })) {
      reader.add(entries);
    }
    const rules = reader.hasRules ? await documentationRules(git, place) : '';
    const quoted = rules.replace(/^/gm, '> ');
    const quotedRules = rules === '' ? '' : `The rules for documentation in ${DOCUMENTATION_RULES}:\n${quoted}`;
    return [reader.guidance(), quotedRules].filter((text) => text !== '').join('\n');
  } catch {
    return '';
  }
}

/** Reads entries of `git ls-tree -r -z`: `MODE TYPE ID`, a tab, the path. */
export class GuidanceReader {
  private readonly sites = SITES.map((): string[] => []);
  private readonly readmes: string[] = [];
  private readonly rules: string[] = [];
  /** Their folders are empty. */
  private readonly submodules: string[] = [];
  private submoduleCount = 0;
  private hasDocs = false;
  /** Whether there are rules for documentation. */
  hasRules = false;

  add(entries: readonly string[]): void {
    for (const entry of entries) {
      this.addPath(entry.slice(entry.indexOf('\t') + 1), entry.startsWith('160000 '));
    }
  }

  guidance(): string {
    const places = this.documentation();
    const rules = shallowest(this.rules);
    return [
      this.withoutSubmodules(),
      places === '' ? '' : `The documentation of this repository: ${places}.`,
      rules.length === 0 ? '' : `House rules to read and follow before you write: ${rules.join(', ')}.`,
    ]
      .filter((line) => line !== '')
      .join('\n');
  }

  private addPath(path: string, isSubmodule: boolean): void {
    this.submoduleCount += isSubmodule ? 1 : 0;
    this.hasRules ||= path === DOCUMENTATION_RULES;
    if (!isPlain(path)) {
      return;
    }
    if (isSubmodule) {
      this.submodules.push(path);
    } else if (!FOREIGN.test(path) || /^\.github\/[^/]+$/.test(path)) {
      const name = posix.basename(path);
      SITES.forEach((site, index) => site.test(name) && this.sites[index]?.push(path));
      this.hasDocs ||= path.startsWith('docs/');
      if (README.test(path)) {
        this.readmes.push(path);
      }
      if (HOUSE_RULES.test(name)) {
        this.rules.push(path);
      }
    }
  }

  /** Mentions the submodules even if none of their names can be shown. */
  private withoutSubmodules(): string {
    const names = shallowest(this.submodules);
    if (this.submoduleCount === 0) {
      return '';
    }
    const more = names.length < this.submoduleCount ? ' and more' : '';
    const which = names.length === 0 ? '' : ` (${names.join(', ')}${more})`;
    return `The submodules of this repository${which} are not included. Leave their folders empty: work in them is rejected.`;
  }

  private documentation(): string {
    const site = this.sites.find((paths) => paths.length > 0);
    if (site !== undefined) {
      return shallowest(site)
        .map((path) => `${folderOf(path)} (configured in ${path})`)
        .join(', ');
    }
    return this.hasDocs ? 'the folder docs/' : (shallowest(this.readmes)[0] ?? '');
  }
}

/** Those of the paths with the fewest folders: a repository may have a file of such a name in each of its folders. */
function shallowest(paths: readonly string[]): readonly string[] {
  return paths.toSorted(byDepth).slice(0, MAX_NAMES);
}

function byDepth(a: string, b: string): number {
  const depth = (path: string): number => path.split('/').length;
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

/** Tells the agent which agent settings are withheld from it, because git shows them as deleted. */
export function leftOutNotice(paths: readonly string[]): string {
  const names = paths.filter(isPlain).slice(0, MAX_NAMES);
  return paths.length === 0
    ? ''
    : `Settings for coding agents, and links that point outside this folder, were left out of it (${names.join(', ')}). They were not deleted, so do not restore them.`;
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? 'the root folder' : `the folder ${folder}/`;
}

/** Returns whether a name can be shown to the agent without being read as an instruction. */
function isPlain(path: string): boolean {
  return path.length <= MAX_NAME && /^[\p{L}\p{N}._@()[\]+/-]+$/u.test(path);
}
