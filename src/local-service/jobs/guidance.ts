import { posix } from 'node:path';
import type { Git } from '../../git/git';
import { CodedError } from '../codedText';
import { DOCUMENTATION_RULES, documentationRules } from '../git/repositoryTexts';

/** Maximum size of a file list, in bytes. A larger repository gets no guidance. */
const MAX_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Maximum number of names in the guidance, and maximum length of a name in characters. */
const MAX_NAMES = 6;
const MAX_NAME = 200;

/** Notice for an agent that is started again for the same message. */
export const INTERRUPTED =
  'Work on this message was interrupted. The folder contains what was done so far. Review it first, don’t repeat it, and finish the rest.';

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
    const args = ['ls-tree', '-r', '-z', 'HEAD'];
    const place = { folder: hostGit, gitDir: hostGit };
    const printed = await git.run(place, args, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
    const entries = printed.split('\0').filter((entry) => entry !== '');
    const pathOf = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);
    const isSubmodule = (entry: string): boolean => entry.startsWith('160000 ');
    const named = guidanceFrom(
      entries.filter((entry) => !isSubmodule(entry)).map(pathOf),
      entries.filter(isSubmodule).map(pathOf),
    );
    const rules = await documentationRules(git, place);
    const quoted = rules.replace(/^/gm, '> ');
    const told = rules === '' ? '' : `The rules for documentation in ${DOCUMENTATION_RULES}:\n${quoted}`;
    return [named, told].filter((text) => text !== '').join('\n');
  } catch {
    return '';
  }
}

/**
 * @param paths of all files, relative to the root of the repository
 * @param submodules the paths of their folders, which are empty
 */
export function guidanceFrom(paths: readonly string[], submodules: readonly string[] = []): string {
  const own = paths.filter((path) => isPlain(path) && (!FOREIGN.test(path) || /^\.github\/[^/]+$/.test(path)));
  const places = documentationIn(own);
  const rules = shallowest(own.filter((path) => HOUSE_RULES.test(posix.basename(path)))).slice(0, MAX_NAMES);
  return [
    submodules.length === 0 ? '' : withoutSubmodules(submodules),
    places === '' ? '' : `The documentation of this repository: ${places}.`,
    rules.length === 0 ? '' : `House rules to read and follow before you write: ${rules.join(', ')}.`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Tells the agent which agent settings are withheld from it, because git shows them as deleted. */
export function leftOutNotice(paths: readonly string[]): string {
  const names = paths.filter(isPlain).slice(0, MAX_NAMES);
  return paths.length === 0
    ? ''
    : `Settings for coding agents and for programs they start, and links that point outside this folder, were left out of it (${names.join(', ')}). They were not deleted, so do not restore them.`;
}

/** Mentions the submodules even if none of their names can be shown. */
function withoutSubmodules(submodules: readonly string[]): string {
  const names = shallowest(submodules.filter(isPlain)).slice(0, MAX_NAMES);
  const which =
    names.length === 0 ? '' : ` (${names.join(', ')}${names.length < submodules.length ? ' and more' : ''})`;
  return `The submodules of this repository${which} are not included. Leave their folders empty: work in them is rejected.`;
}

function documentationIn(paths: readonly string[]): string {
  for (const site of SITES) {
    const found = shallowest(paths.filter((path) => site.test(posix.basename(path))));
    if (found.length > 0) {
      return found
        .slice(0, MAX_NAMES)
        .map((path) => `${folderOf(path)} (configured in ${path})`)
        .join(', ');
    }
  }
  if (paths.some((path) => path.startsWith('docs/'))) {
    return 'the folder docs/';
  }
  return shallowest(paths.filter((path) => README.test(path)))[0] ?? '';
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? 'the root folder' : `the folder ${folder}/`;
}

function shallowest(paths: readonly string[]): string[] {
  const depth = (path: string): number => path.split('/').length;
  return paths.toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}

/** Returns whether a name can be shown to the agent without being read as an instruction. */
function isPlain(path: string): boolean {
  return path.length <= MAX_NAME && /^[\p{L}\p{N}._@()[\]+/-]+$/u.test(path);
}

/** Why a turn failed. Any other error is a bug in the service. */
export class TurnFailure extends CodedError {}

/** Why a turn is stopped: a newer message of its job replaces it, the user stops it, or the service shuts down. */
export type StoppedBy = 'message' | 'user' | 'shutdown';

/** The abort reason of the signals that stop a turn. */
export class TurnStoppedError extends Error {
  constructor(readonly by: StoppedBy) {
    super(`stopped by ${by}`);
  }
}

/** Signals that stop the two parts of a turn. A newer message stops the agent's work, but not a publication. */
export interface TurnSignals {
  work: AbortSignal;
  publish: AbortSignal;
}
