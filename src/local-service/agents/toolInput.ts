/** What the input of a tool call shows. */
export interface ToolInput {
  /** The places that it names. An empty one stands for what is not understood: it is nowhere, and refused. */
  places: readonly string[];
  /** What it does beyond what its kind says: a call that brings a command runs it, whatever it is called. */
  brings: 'execute' | 'fetch' | undefined;
  /** It holds text for a file, or a patch. */
  writes: boolean;
  /** The command, in one line. */
  command: string | undefined;
}

/** How deep and how much of an input is looked at; the rest counts as not understood. */
const MAX_DEPTH = 12;
const MAX_VALUES = 5_000;
const MAX_TEXT = 4 * 1024 * 1024;

/** How many places of a call are kept; one with more is not understood. */
export const MAX_PLACES = 50;

/**
 * What fields mean, by their names in lower case without `_`, `-` and spaces: those of Claude Code, Codex, Gemini CLI,
 * opencode, Copilot and Goose. A text in a field that is in none of these lists is not understood.
 */
const PLACES =
  /^(abs(olute)?)?(file|dir|directory|folder|notebook|target|source|destination|old|new|from|to|move|parent|work(ing)?|root)?(path|paths|file|files|dir|dirs|directory|directories|folder|filename|source|destination|cwd)$/;
const COMMANDS = [
  'command',
  'commands',
  'cmd',
  'commandline',
  'shellcommand',
  'shell',
  'script',
  'code',
  'args',
  'argv',
];
const ADDRESSES = ['url', 'urls', 'uri', 'uris', 'href', 'endpoint'];
const PATTERNS = ['pattern', 'patterns', 'glob', 'globs', 'include', 'exclude', 'query', 'regex', 'regexp'];
const PATCHES = ['patch', 'patchtext', 'diff', 'input', 'unifieddiff'];
/** Text for a file. */
const WRITTEN = [
  ...[
    'content',
    'contents',
    'filetext',
    'newtext',
    'newstring',
    'newstr',
    'inserttext',
    'newsource',
    'before',
    'after',
  ],
];
const HARMLESS = [
  ...[
    ...WRITTEN,
    'text',
    'oldtext',
    'oldstring',
    'oldstr',
    'insertline',
    'offset',
    'limit',
    'line',
    'lines',
    'startline',
    'endline',
    'viewrange',
  ],
  ...['replaceall', 'expectedreplacements', 'instruction', 'instructions', 'description', 'explanation', 'reason'],
  ...['title', 'prompt', 'intention', 'headlimit', 'outputmode', 'multiline', 'type', 'kind', 'a', 'b', 'c', 'i', 'n'],
  ...['celltype', 'editmode', 'cellid', 'id', 'toolcallid', 'status', 'todos', 'activeform', 'priority', 'encoding'],
];

/** The commands of the text editor tool that Anthropic’s models know; they run nothing. */
const EDITOR_COMMANDS = ['view', 'create', 'write', 'str_replace', 'insert', 'undo_edit'];

/** A key with a character that no name of a field has, so that it may be a path. */
const PATH_KEY = /[^\w\s-]/;

/** Reads the input of a tool call, whatever its form: what it is not sure of becomes an empty place. */
export function readInput(rawInput: unknown): ToolInput {
  const found = new Finder();
  found.take('input', rawInput, 0);
  const { brings, writes, command } = found;
  return { places: [...found.places], brings, writes, command };
}

class Finder {
  readonly places = new Set<string>();
  brings: 'execute' | 'fetch' | undefined;
  writes = false;
  command: string | undefined;
  private values = 0;

  take(name: string, value: unknown, depth: number): void {
    this.values += 1;
    const field = name.toLowerCase().replace(/[\s_-]/g, '');
    // Also where it is empty.
    this.writes ||= typeof value === 'string' && WRITTEN.includes(field);
    if (value === undefined || value === null || value === '') {
      return;
    }
    if (depth > MAX_DEPTH || this.values > MAX_VALUES) {
      this.places.add('');
    } else if (COMMANDS.includes(field)) {
      this.takeCommand(value);
    } else if (typeof value === 'string') {
      this.takeText(field, value);
    } else if (Array.isArray(value)) {
      value.slice(0, MAX_VALUES).forEach((each) => this.take(name, each, depth + 1));
    } else if (typeof value === 'object') {
      Object.entries(value).forEach(([key, each]) => {
        if (field === 'changes' || PATH_KEY.test(key)) {
          // Codex: the changes of a patch by their path.
          this.addPlaces([key]);
        }
        this.take(field === 'changes' ? 'change' : key, each, depth + 1);
      });
    }
  }

  /** One more than is kept, so that the rest shows. */
  private addPlaces(places: Iterable<string>): void {
    for (const place of places) {
      if (this.places.size > MAX_PLACES) {
        return;
      }
      this.places.add(place);
    }
  }

  private takeCommand(value: unknown): void {
    if (typeof value === 'string' && EDITOR_COMMANDS.includes(value)) {
      return;
    }
    this.brings = 'execute';
    const parts: unknown[] = Array.isArray(value) ? value : [value];
    const text = parts.filter((part) => typeof part === 'string').join(' ');
    this.command ??= text === '' ? undefined : text;
  }

  private takeText(field: string, text: string): void {
    if (PLACES.test(field)) {
      this.addPlaces([text]);
    } else if (ADDRESSES.includes(field)) {
      if (/^file:/i.test(text)) {
        this.addPlaces([text]);
      } else {
        this.brings ??= 'fetch';
      }
    } else if (PATTERNS.includes(field)) {
      this.addPlaces(placesOfPattern(text));
    } else if (PATCHES.includes(field)) {
      this.addPlaces(placesOfPatch(text));
      this.writes = true;
    } else if (!HARMLESS.includes(field)) {
      this.places.add('');
    }
  }
}

/** Only one that climbs, or does not begin in the folder, names a place: the part before its first special character. */
function placesOfPattern(pattern: string): string[] {
  const climbs = /(^|[/\\{,(|])\.\.($|[/\\},)|])/.test(pattern);
  const alternatives = pattern.split(/[{,(|]/).slice(1);
  if (climbs || alternatives.some(isFromElsewhere)) {
    return [''];
  }
  return isFromElsewhere(pattern) ? [pattern.split(/[*?[{(|]/, 1)[0] ?? ''] : [];
}

/** From the root, a home folder, a variable or a drive. */
function isFromElsewhere(path: string): boolean {
  return /^(file:|[/\\~$%]|[A-Za-z]:[/\\])/i.test(path);
}

/** The lines of a patch or a diff that name files; some tools take indented ones too. */
const HEADER_LINE =
  /^(?:[^\S\r\n\u2028\u2029]*(?:\*\*\*|\+\+\+|---|diff --git)|Index:|(?:rename|copy) (?:from|to)) .*$/gm;
const PATCH_FILE = /^\s*\*\*\* (?:Add|Update|Delete|Move|Rename)(?: File| to)?:(.*)$/;
const NAMES_NO_FILE = /^(\s|\*\*\* (Begin Patch|End Patch|End of File))/;
const DIFF_FILE = /^\s*(\+\+\+|---|Index:|(?:rename|copy) (?:from|to)) (.*)$/;
const DIFF_PAIR = /^\s*diff --git (.*)$/;

/** The files of a patch or a unified diff; one that names none, or names one in an unknown way, is not understood. */
function* placesOfPatch(text: string): Generator<string> {
  let isUnderstood = text.length <= MAX_TEXT;
  let lines = 0;
  let hasFiles = false;
  /** The file of a line that is one of a diff only if a `+++` comes next, and where it ends. */
  let removed: { path: string; end: number } | undefined;
  for (const { 0: line, index } of isUnderstood ? text.matchAll(HEADER_LINE) : []) {
    lines += 1;
    if (lines > MAX_VALUES) {
      isUnderstood = false;
      break;
    }
    const patched = PATCH_FILE.exec(line)?.[1];
    const [, mark, path = ''] = DIFF_FILE.exec(line) ?? [];
    const pair = DIFF_PAIR.exec(line)?.[1];
    if (mark === '---') {
      removed = { path, end: index + line.length };
      continue;
    }
    const above = removed !== undefined && /^\r?\n?$/.test(text.slice(removed.end, index)) ? [removed.path] : [];
    const compared = mark === undefined ? [] : [...above, path];
    const files = [
      ...(patched === undefined ? [] : [patched.trim()]),
      ...[...compared, ...(pair === undefined ? [] : pathsOfPair(pair))].map(plainPath),
    ];
    hasFiles ||= files.length > 0;
    isUnderstood &&= files.length > 0 || NAMES_NO_FILE.test(line);
    yield* files.filter((file) => file !== '/dev/null');
  }
  if (!isUnderstood || !hasFiles) {
    yield '';
  }
}

/** Of `a/x b/x`, where only two of the same length can be told apart when there are spaces in them. */
function pathsOfPair(pair: string): string[] {
  const half = (pair.length - 1) / 2;
  const same = [pair.slice(0, half), pair.slice(half + 1)];
  const isSame = pair[half] === ' ' && same[0]?.slice(2) === same[1]?.slice(2);
  const parts = isSame ? same : pair.trim().split(' ');
  return parts.length === 2 ? parts : [''];
}

/** Without the time behind a tab, quotes, and git’s `a/` and `b/`. Empty where it is quoted with escapes. */
function plainPath(path: string): string {
  const plain = path.replace(/\t.*$/, '').trim();
  const quoted = /^"(.*)"$/.exec(plain)?.[1];
  if (quoted?.includes('\\') === true) {
    return '';
  }
  return (quoted ?? plain).replace(/^[ab]\/(dev\/null$)?/, (_, nothing: string | undefined) =>
    nothing === undefined ? '' : '/dev/null',
  );
}
