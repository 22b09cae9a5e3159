import { MAX_CODE_LINE } from '../base/limits';
import type { Want } from './codeHistory';
import { isOtherCode } from './ownNames';
import type { Repository, Tree } from './ports';
import { ROLES } from './roles';
import type { ScriptClaim } from './scriptsOnPage';
import type { WordTable } from './wordTable';

/** What runs scripts that a repository defines. Other runners of `package.json` count as npm. */
export type ScriptTool = 'npm' | 'make' | 'just';

/**
 * The files that define scripts, the names that a text may define (in the first group that has any), and what may define
 * scripts that can't be read: files from elsewhere, or generated ones.
 */
const MANIFESTS: Readonly<Record<ScriptTool, Readonly<Record<'path' | 'names' | 'open', RegExp>>>> = {
  npm: {
    path: /(?:^|\/)package\.(?:json5?|ya?ml)$/,
    // Any key counts as long as it is there: a program of a package runs in the same way.
    names: /"([^"\\\n$%]{1,200})"\s*:|^[ \t]*([\w-][\w:.-]{0,200}):(?=\s)/gm,
    open: /^(?!)/,
  },
  make: {
    path: /(?:^|\/)(?:(?:GNU)?[Mm]akefile(?:\.\w+)?|[^/]+\.mk|CMakeLists\.txt|configure\.(?:ac|in))$/,
    names: /^ *([^\s#:=][^:=#\n]*):(?!:?=)/gm,
    open: /^ *(?:[-s]?include\s|\.DEFAULT\b|AC_INIT\b|(?:add_\w+|project) *\()|\$[({]eval\b/im,
  },
  just: {
    path: /(?:^|\/)(?:\.?justfile|[^/]+\.just)$/i,
    names: /^(?:@?(\w[\w-]*)(?:[ \t][^\n]*)?:(?!=)|alias[ \t]+(\w[\w-]*)[ \t]*:=)/gm,
    open: /^(?:import|mod)\b/m,
  },
};

const TOOLS = Object.keys(MANIFESTS) as ScriptTool[];

export function isManifest(tool: ScriptTool, path: string): boolean {
  return MANIFESTS[tool].path.test(path);
}

/** The scripts that a text may define; of make, several on a line, and patterns. */
export function scriptsIn(tool: ScriptTool, text: string): string[] {
  const found = Array.from(text.matchAll(MANIFESTS[tool].names), ([, one, other]) => one ?? other ?? '');
  return tool === 'make' ? found.flatMap((names) => names.trim().split(/\s+/)) : found;
}

/** The scripts that a repository's manifests define now, also those outside of the code, such as of a site. */
export class ScriptsNow {
  private readonly names = new Set<string>();
  private readonly patterns: (readonly [start: string, end: string])[] = [];

  static async read(repositories: readonly Repository[], trees: readonly Tree[]): Promise<ScriptsNow> {
    const now = new ScriptsNow();
    for (const [index, repository] of repositories.entries()) {
      const files = trees[index]?.files.filter(({ path }) => TOOLS.some((tool) => isManifest(tool, path))) ?? [];
      let at = 0;
      for await (const content of repository.contents(files.map(({ id }) => id))) {
        now.add(files[at++]?.path ?? '', content?.toString('latin1') ?? '');
      }
    }
    return now;
  }

  add(path: string, text: string): void {
    for (const tool of TOOLS.filter((each) => isManifest(each, path))) {
      const isOpen = !(path.includes('/') && isOtherCode(path)) && MANIFESTS[tool].open.test(text);
      for (const name of [...scriptsIn(tool, text), ...(isOpen ? ['%'] : [])]) {
        const [start = '', end] = name.split(/%|\$.*/, 2);
        this.names.add(`${tool} ${name}`);
        this.patterns.push(...(end === undefined ? [] : [[`${tool} ${start}`, end] as const]));
      }
    }
  }

  /** Whether a script is there, or may be. */
  has(tool: ScriptTool, script: string): boolean {
    const name = `${tool} ${script}`;
    return this.names.has(name) || this.patterns.some(([start, end]) => name.startsWith(start) && name.endsWith(end));
  }
}

/** Wants the manifests that define a script. */
export function wantScript({ tool, script }: Pick<ScriptClaim, 'tool' | 'script'>, table: WordTable): Want {
  const [word = ''] = script.split(/[:.]/).toSorted((one, other) => other.length - one.length);
  const isAt = (text: Buffer, start: number, end: number): boolean => {
    const from = Math.max(text.lastIndexOf(10, start) + 1, start - MAX_CODE_LINE);
    const [line = ''] = text.toString('latin1', from, end + MAX_CODE_LINE).split('\n', 1);
    return scriptsIn(tool, line).includes(script) && (tool !== 'npm' || hasScript(text, script));
  };
  return { word: table.add(word), key: `${tool} runs ${script}`, roles: ROLES.any, isAt, losses: [] };
}

/** Whether a `package.json` has the script, as opposed to another key of this name. */
function hasScript(text: Buffer, script: string): boolean {
  try {
    const { scripts } = JSON.parse(text.includes('"scripts"') ? text.toString() : '{}') as { scripts?: object };
    return scripts !== undefined && Object.hasOwn(scripts, script);
  } catch {
    return false;
  }
}
