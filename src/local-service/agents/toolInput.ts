/** What the input of a tool call reveals. */
export interface ToolInput {
  /** The places that it names. An empty one stands for anything that is not understood, and gets the call refused. */
  places: readonly string[];
  /** What it does beyond its kind: a call that contains a command runs it, whatever its kind says. */
  effect: 'execute' | 'fetch' | undefined;
  /** Whether it contains text for a file, or a patch. */
  writes: boolean;
  /** The command, on one line. */
  command: string | undefined;
}

/** How deep and how much of an input is inspected. The rest counts as not understood. */
const MAX_DEPTH = 12;
const MAX_VALUES = 5_000;
/** For all patches and patterns of a call, in characters, and for the lines of its patches that name files. */
const MAX_TEXT = 1024 * 1024;
const MAX_LINES = 5_000;
const MAX_PATTERN = 4_096;
const MAX_NAME = 100;

/** How many places of a call are kept. A call with more counts as not understood. */
export const MAX_PLACES = 50;

/**
 * What fields mean, by their names in lower case without `_`, `-` and spaces: those of Claude Code, Codex, Gemini CLI,
 * opencode, Copilot and Goose. Text in a field that is in none of these lists counts as not understood.
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
/** The patterns that may be several, separated by spaces. */
const LISTS = ['glob', 'globs', 'include', 'exclude'];
const PATCHES = ['patch', 'patchtext', 'diff', 'input', 'unifieddiff'];
/** Fields with text for a file. */
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

/** The commands of the text editor tool that Anthropic's models know. They execute nothing. */
const EDITOR_COMMANDS = ['view', 'create', 'write', 'str_replace', 'insert', 'undo_edit'];

/** A key with a character that no field name has, so that it may be a path. */
const PATH_KEY = /[^\w\s-]/;

/** Reads the input of a tool call, whatever its form. Anything uncertain becomes an empty place. */
export function readInput(rawInput: unknown): ToolInput {
  const found = new InputScanner();
  found.visit('input', rawInput, 0);
  const { effect, writes, command } = found;
  return { places: [...found.places], effect, writes, command };
}

class InputScanner {
  readonly places = new Set<string>();
  effect: 'execute' | 'fetch' | undefined;
  writes = false;
  command: string | undefined;
  private values = 0;
  private readonly left = { text: MAX_TEXT, lines: MAX_LINES };

  visit(name: string, value: unknown, depth: number): void {
    this.values += 1;
    const field = name.length > MAX_NAME ? '' : name.toLowerCase().replace(/[\s_-]/g, '');
    // Even if it is empty.
    this.writes ||= typeof value === 'string' && WRITTEN.includes(field);
    if (value === undefined || value === null || value === '') {
      return;
    }
    if (depth > MAX_DEPTH || this.values > MAX_VALUES) {
      this.places.add('');
    } else if (COMMANDS.includes(field)) {
      this.visitCommand(value);
    } else if (typeof value === 'string') {
      this.visitText(field, value);
    } else if (Array.isArray(value)) {
      value.slice(0, MAX_VALUES).forEach((each) => this.visit(name, each, depth + 1));
    } else if (typeof value === 'object') {
      Object.entries(value).forEach(([key, each]) => {
        if (field === 'changes' || PATH_KEY.test(key)) {
          // Codex: the changes of a patch, keyed by path.
          this.addPlaces([key]);
        }
        this.visit(field === 'changes' ? 'change' : key, each, depth + 1);
      });
    }
  }

  /** Adds one more than is kept, so that the caller notices the rest. */
  private addPlaces(places: Iterable<string>): void {
    for (const place of places) {
      if (this.places.size > MAX_PLACES) {
        return;
      }
      this.places.add(place);
    }
  }

  private visitCommand(value: unknown): void {
    if (typeof value === 'string' && EDITOR_COMMANDS.includes(value)) {
      return;
    }
    this.effect = 'execute';
    const parts: unknown[] = Array.isArray(value) ? value : [value];
    const text = parts.filter((part) => typeof part === 'string').join(' ');
    this.command ??= text === '' ? undefined : text;
  }

  private visitText(field: string, text: string): void {
    if (PLACES.test(field)) {
      this.addPlaces([text]);
    } else if (ADDRESSES.includes(field)) {
      if (/^file:/i.test(text)) {
        this.addPlaces([text]);
      } else {
        this.effect ??= 'fetch';
      }
    } else if (PATTERNS.includes(field)) {
      this.addPlaces(this.mayScan(text) ? placesOfPattern(text, LISTS.includes(field)) : ['']);
    } else if (PATCHES.includes(field)) {
      this.addPlaces(this.mayScan(text) ? placesOfPatch(text, this.left) : ['']);
      this.writes = true;
    } else if (!HARMLESS.includes(field)) {
      this.places.add('');
    }
  }

  private mayScan(text: string): boolean {
    this.left.text -= text.length;
    return this.left.text >= 0 && this.left.lines >= 0;
  }
}

/** Alternatives that begin and end with a letter or digit, such as `{md,mdx}`. */
const PLAIN_GROUP = /[{(]\w+(?:[.-]\w+)*(?:[,|]\w+(?:[.-]\w+)*)*[})]/g;

/** Any other alternatives beside a dot or beside each other may form `..`, as in `.{.,}`. */
const MAY_JOIN_DOTS = /\.[{(]|[})]\.|[})][{(]/;

/** Between the alternatives of a pattern and the parts of a list. */
const BETWEEN = String.raw`{,(|;\n\r`;
const CLIMBS = new RegExp(String.raw`(?:^|[/\\${BETWEEN}])\.\.(?:$|[/\\)}${BETWEEN}])`);
const FROM_ELSEWHERE = String.raw`(?:file:|[/\\~$%]|[A-Za-z]:[/\\])`;
const STARTS_ELSEWHERE = new RegExp(`^${FROM_ELSEWHERE}`, 'i');
const LISTS_ELSEWHERE = new RegExp(`[${BETWEEN}]${FROM_ELSEWHERE}`, 'i');

/**
 * The places that a pattern names. It names one only if it climbs, which is not understood, or starts at the root, a
 * home folder, a variable or a drive: then it is the part before the first special character.
 *
 * @param isList whether spaces separate several patterns, as Claude Code's search reads its globs
 */
function placesOfPattern(pattern: string, isList: boolean): string[] {
  if (pattern.length > MAX_PATTERN) {
    return [''];
  }
  const text = isList ? pattern.trim().replace(/\s/g, ';') : pattern;
  const plain = withoutEscapes(text);
  const isUnclear = [text, plain].some(
    (each) => CLIMBS.test(each) || MAY_JOIN_DOTS.test(each.replace(PLAIN_GROUP, 'x')) || LISTS_ELSEWHERE.test(each),
  );
  if (isUnclear) {
    return [''];
  }
  const places = [text, plain].filter((each) => STARTS_ELSEWHERE.test(each));
  return [...new Set(places.map((each) => each.split(/[*?[{(|;\n\r]/, 1)[0] ?? ''))];
}

/** Replaces what can match a dot, such as `\.`, `[.]`, `[!a]` and `+(.)`, by dots, and other escapes and sets by text. */
function withoutEscapes(pattern: string): string {
  return pattern
    .replace(/\\(.)/gs, '$1')
    .replace(/\[([!^]?)(\]?[^\]]{0,100})\]/g, (_, not: string, set: string) =>
      not !== '' || set.includes('.') ? '.' : 'x',
    )
    .replace(/[+*]\(\.{1,9}\)/g, '..');
}

/** The lines of a patch or a diff that name files. Some tools accept indented ones too. */
const HEADER_LINE =
  /^(?:[^\S\r\n\u2028\u2029]*(?:\*\*\*|\+\+\+|---|diff --git)|Index:|(?:rename|copy) (?:from|to)) .*$/gm;
const PATCH_FILE = /^\s*\*\*\* (?:Add|Update|Delete|Move|Rename)(?: File| to)?:(.*)$/;
const NAMES_NO_FILE = /^(\s|\*\*\* (Begin Patch|End Patch|End of File))/;
const DIFF_FILE = /^\s*(\+\+\+|---|Index:|(?:rename|copy) (?:from|to)) (.*)$/;
const DIFF_PAIR = /^\s*diff --git (.*)$/;

/**
 * The files of a patch or a unified diff. Yields '' if it names none, or names one in an unknown way.
 *
 * @param left how many lines that name files are still read; is reduced
 */
function* placesOfPatch(text: string, left: { lines: number }): Generator<string> {
  // Patch tools split at line feeds only, so that these would be part of a path.
  let isUnderstood = !/\r(?!\n)|[\u2028\u2029]/.test(text);
  let hasFiles = false;
  /**
   * The file of a `---` line, which belongs to a diff only if a `+++` line follows, and the offset where that line
   * ends.
   */
  let removed: { path: string; end: number } | undefined;
  for (const { 0: line, index } of text.matchAll(HEADER_LINE)) {
    left.lines -= 1;
    if (left.lines < 0) {
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

/** The two paths of `a/x b/x`. If they contain spaces, they can be told apart only if both name the same file. */
function pathsOfPair(pair: string): string[] {
  const half = (pair.length - 1) / 2;
  const same = [pair.slice(0, half), pair.slice(half + 1)];
  const isSame = pair[half] === ' ' && same[0]?.slice(2) === same[1]?.slice(2);
  const parts = isSame ? same : pair.trim().split(' ');
  return parts.length === 2 ? parts : [''];
}

/** Removes the time after a tab, quotes, and git's `a/` and `b/`. Returns '' if it is quoted with escapes. */
function plainPath(path: string): string {
  const plain = path.replace(/\t.*/s, '').trim();
  const quoted = /^"(.*)"$/.exec(plain)?.[1];
  if (quoted?.includes('\\') === true) {
    return '';
  }
  return (quoted ?? plain).replace(/^[ab]\/(dev\/null$)?/, (_, nothing: string | undefined) =>
    nothing === undefined ? '' : '/dev/null',
  );
}
