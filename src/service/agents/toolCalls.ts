import type { WireToolCall } from './acpMessages';

/** A tool call as far as it is known by now. */
export interface ToolCall {
  id: string;
  title: string;
  /** The command that it brings, where it does. */
  command?: string | undefined;
  /** What the agent calls it: read, edit, delete, move, search, execute, think, fetch, or another word. */
  kind: string;
  state: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** The places that it names, as the agent wrote them. */
  places: readonly string[];
}

/** How many calls of one turn are remembered, in number and characters (an older one is forgotten first). */
const MAX_CALLS = 2_000;
const MAX_SIZE = 8 * 1024 * 1024;

/** How much of each. */
const MAX_PLACES = 50;
const MAX_PLACE = 4_096;
const MAX_TITLE = 1_000;

/** The names under which agents hand places to their tools (Claude Code, Codex, Gemini CLI, opencode, Copilot, Goose). */
const PLACE_KEYS =
  /^(abs(olute)?_?)?(file|dir|directory|notebook|target|source|destination|old|new|from|to)?_?(path|file|dir|directory|filename|source|destination)s?$/i;

/** The commands of the text editor tool that Anthropic's models know; they run nothing. */
const EDITOR_COMMANDS = ['view', 'create', 'str_replace', 'insert', 'undo_edit'];

const COMMAND_NAMES = ['command', 'cmd', 'commandLine', 'shell_command', 'script', 'code'];

/** What is kept of a call: of its places each list by itself, because a message brings a list anew as a whole. */
interface KnownCall {
  title: string;
  kind: string;
  command: string | undefined;
  /** What its input shows it to be beyond its kind. */
  brings: 'execute' | 'fetch' | undefined;
  state: ToolCall['state'];
  locations: readonly string[];
  diffs: readonly string[];
  input: readonly string[];
}

/** The tool calls of one turn, joined from the messages that tell of them piece by piece. */
export class ToolCalls {
  private readonly known = new Map<string, KnownCall>();
  private size = 0;

  /** What is known of the call with this message added: fields that it leaves out stay as they were. */
  update(message: WireToolCall): ToolCall {
    const id = message.toolCallId;
    const call = joined(this.known.get(id), message);
    this.forget(id);
    this.known.set(id, call);
    this.size += sizeOf(id, call);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX_CALLS && this.size <= MAX_SIZE) {
        break;
      }
      this.forget(oldest);
    }
    const { title, command, kind, brings, state } = call;
    return {
      id,
      title,
      ...(command === undefined ? {} : { command }),
      kind: brings ?? kind,
      state,
      places: [...new Set([...call.locations, ...call.diffs, ...call.input])],
    };
  }

  private forget(id: string): void {
    const call = this.known.get(id);
    if (call !== undefined) {
      this.known.delete(id);
      this.size -= sizeOf(id, call);
    }
  }
}

function sizeOf(id: string, { title, command = '', kind, locations, diffs, input }: KnownCall): number {
  return [id, title, command, kind, ...locations, ...diffs, ...input].reduce((sum, text) => sum + text.length, 0);
}

function joined(before: KnownCall | undefined, { title, kind, status, ...lists }: WireToolCall): KnownCall {
  const { locations, content, rawInput } = lists;
  const diffs = content?.filter(({ type }) => type === 'diff').map(({ path }) => path ?? '');
  return {
    title: beginning(title) ?? before?.title ?? '',
    kind: beginning(kind) ?? before?.kind ?? 'other',
    command: beginning(commandIn(rawInput ?? {})) ?? before?.command,
    brings: broughtBy(rawInput ?? {}) ?? before?.brings,
    state: stateOf(status) ?? before?.state ?? 'pending',
    locations: bounded(locations?.map(({ path }) => path)) ?? before?.locations ?? [],
    diffs: bounded(diffs) ?? before?.diffs ?? [],
    input: bounded(rawInput && placesIn(rawInput)) ?? before?.input ?? [],
  };
}

/** As a copy: the engine holds the whole of a text for as long as there is a slice of it. */
function beginning(text: string | undefined): string | undefined {
  return text && Buffer.from(text.slice(0, MAX_TITLE), 'utf16le').toString('utf16le');
}

function stateOf(status: string | undefined): ToolCall['state'] | undefined {
  const isKnown = status === 'pending' || status === 'in_progress' || status === 'completed' || status === 'failed';
  return isKnown ? status : undefined;
}

/** What is left out leaves an empty place, which is nowhere. */
function bounded(places: readonly string[] | undefined): readonly string[] | undefined {
  const kept = places?.slice(0, MAX_PLACES).map((place) => (place.length > MAX_PLACE ? '' : place));
  return kept && kept.length < (places?.length ?? 0) ? [...kept, ''] : kept;
}

/** In one line; undefined where there is none that would be run. */
function commandIn(rawInput: Record<string, unknown>): string | undefined {
  const value = COMMAND_NAMES.map((name) => rawInput[name]).find((each) => each !== undefined && each !== null);
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  const text = parts.filter((part) => typeof part === 'string').join(' ');
  return text === '' || EDITOR_COMMANDS.includes(text) ? undefined : text;
}

/** A call that brings a command or an address does more than read, whatever it is called. */
function broughtBy({ command, cmd, url }: Record<string, unknown>): 'execute' | 'fetch' | undefined {
  const commands = [command, cmd].filter((each) => each !== undefined && each !== null);
  if (commands.some((each) => typeof each !== 'string' || !EDITOR_COMMANDS.includes(each))) {
    return 'execute';
  }
  return typeof url === 'string' ? 'fetch' : undefined;
}

function placesIn(rawInput: Record<string, unknown>): string[] {
  return Object.entries(rawInput).flatMap(([key, value]) => {
    // Codex: the changes of a patch by their path.
    if (key === 'changes' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.entries(value).flatMap(([path, change]) => [path, ...movedTo(change)]);
    }
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return PLACE_KEYS.test(key) ? values.filter((each) => typeof each === 'string') : [];
  });
}

function movedTo(change: unknown): string[] {
  const path = (change as { move_path?: unknown } | null)?.move_path;
  return typeof path === 'string' ? [path] : [];
}
