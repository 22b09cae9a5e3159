/** What the input of a tool call shows. */
export interface ToolInput {
  /** The places that it names. An empty one stands for what is not understood: it is nowhere, and refused. */
  places: readonly string[];
  /** What it does beyond what its kind says: a call that brings a command runs it, whatever it is called. */
  brings: 'execute' | 'fetch' | undefined;
  /** The command, in one line. */
  command: string | undefined;
}

/** How deep and how much of an input is looked at; the rest counts as not understood. */
const MAX_DEPTH = 12;
const MAX_VALUES = 5_000;
const MAX_TEXT = 4 * 1024 * 1024;

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
const HARMLESS = [
  ...['content', 'contents', 'text', 'filetext', 'oldtext', 'newtext', 'oldstring', 'newstring', 'oldstr', 'newstr'],
  ...['insertline', 'inserttext', 'newsource', 'offset', 'limit', 'line', 'lines', 'startline', 'endline', 'viewrange'],
  ...['replaceall', 'expectedreplacements', 'instruction', 'instructions', 'description', 'explanation', 'reason'],
  ...['title', 'prompt', 'intention', 'headlimit', 'outputmode', 'multiline', 'type', 'kind', 'a', 'b', 'c', 'i', 'n'],
  ...['celltype', 'editmode', 'cellid', 'id', 'toolcallid', 'status', 'todos', 'activeform', 'priority', 'encoding'],
];

/** The commands of the text editor tool that Anthropic’s models know; they run nothing. */
const EDITOR_COMMANDS = ['view', 'create', 'write', 'str_replace', 'insert', 'undo_edit'];

/** Reads the input of a tool call, whatever its form: what it is not sure of becomes an empty place. */
export function readInput(rawInput: unknown): ToolInput {
  const found = new Finder();
  found.take('input', rawInput, 0);
  return { places: found.places, brings: found.brings, command: found.command };
}

class Finder {
  readonly places: string[] = [];
  brings: 'execute' | 'fetch' | undefined;
  command: string | undefined;
  private values = 0;

  take(name: string, value: unknown, depth: number): void {
    this.values += 1;
    if (value === undefined || value === null || value === '') {
      return;
    }
    const field = name.toLowerCase().replace(/[\s_-]/g, '');
    if (depth > MAX_DEPTH || this.values > MAX_VALUES) {
      this.places.push('');
    } else if (COMMANDS.includes(field)) {
      this.takeCommand(value);
    } else if (typeof value === 'string') {
      this.takeText(field, value);
    } else if (Array.isArray(value)) {
      value.slice(0, MAX_VALUES).forEach((each) => this.take(name, each, depth + 1));
    } else if (typeof value === 'object') {
      Object.entries(value).forEach(([key, each]) => {
        if (field === 'changes') {
          // Codex: the changes of a patch by their path.
          this.places.push(key);
        }
        this.take(field === 'changes' ? 'change' : key, each, depth + 1);
      });
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
      this.places.push(text);
    } else if (ADDRESSES.includes(field)) {
      if (/^file:/i.test(text)) {
        this.places.push(text);
      } else {
        this.brings ??= 'fetch';
      }
    } else if (PATTERNS.includes(field)) {
      this.places.push(...placesOfPattern(text));
    } else if (PATCHES.includes(field)) {
      this.places.push(...placesOfPatch(text));
    } else if (!HARMLESS.includes(field)) {
      this.places.push('');
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

const PATCH_FILE = /^\*\*\* (?:Add|Update|Delete|Move|Rename)(?: File| to)?:\s*(.*)$/gm;
const DIFF_FILE = /^--- ([^\r\n]*)\r?\n\+\+\+ ([^\r\n]*)/gm;
const DIFF_MOVE = /^(?:rename|copy) (?:from|to) ([^\r\n]*)/gm;

/** The files of a patch or a unified diff; one that names none is not understood. */
function placesOfPatch(text: string): string[] {
  if (text.length > MAX_TEXT) {
    return [''];
  }
  const patched = [...text.matchAll(PATCH_FILE)].map(([, path = '']) => path.trim());
  const compared = [...text.matchAll(DIFF_FILE)].flatMap(([, from = '', to = '']) => [from, to]);
  const moved = [...text.matchAll(DIFF_MOVE)].map(([, path = '']) => path);
  const files = [...patched, ...[...compared, ...moved].map(plainPath).filter((path) => path !== '/dev/null')];
  return files.length === 0 ? [''] : files;
}

/** Without the time behind a tab, quotes, and git’s `a/` and `b/`. */
function plainPath(path: string): string {
  const plain = path
    .replace(/\t.*$/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return plain.replace(/^[ab]\/(dev\/null$)?/, (_, nothing: string | undefined) =>
    nothing === undefined ? '' : '/dev/null',
  );
}
