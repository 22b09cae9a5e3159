import type { WireToolCall } from './acpMessages';
import { MAX_PLACES, readInput } from './toolInput';

/** A tool call as far as it is known by now. */
export interface ToolCall {
  id: string;
  title: string;
  /** The command that it brings, where it does. */
  command?: string | undefined;
  /**
   * What the agent calls it: read, edit, delete, move, search, execute, think, fetch, or another word. What its input shows
   * goes first where that is more.
   */
  kind: string;
  state: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** The places that it names, as the agent wrote them; an empty one for what is not understood. */
  places: readonly string[];
  /** Those of them that say which files it is about. */
  files: readonly string[];
  /** It brings text for a file. */
  writes: boolean;
}

/** How many calls of one turn are remembered, in number and characters (an older one is forgotten first). */
const MAX_CALLS = 2_000;
const MAX_SIZE = 8 * 1024 * 1024;

/** How much of each. */
const MAX_PLACE = 4_096;
const MAX_TITLE = 1_000;

/** What is kept of a call: of its places each list by itself, because a message brings a list anew as a whole. */
interface KnownCall {
  title: string;
  kind: string;
  command: string | undefined;
  /** What its input shows it to be beyond its kind. */
  brings: 'execute' | 'fetch' | undefined;
  /** Whether its input holds text to be written. */
  writes: boolean;
  state: ToolCall['state'];
  locations: readonly string[];
  diffs: readonly string[];
  input: readonly string[];
}

/** The tool calls of one turn, joined from the messages that tell of them piece by piece. */
export class ToolCalls {
  private readonly known = new Map<string, KnownCall>();
  private size = 0;

  /** @param editorTools see `KnownAgent.editorTools` */
  constructor(private readonly editorTools?: RegExp) {}

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
    const { title, command, brings, state } = call;
    const told = [...call.locations, ...call.diffs];
    return {
      id,
      title,
      ...(command === undefined ? {} : { command }),
      kind: brings ?? this.kindOf(call),
      state,
      places: [...new Set([...call.locations, ...call.diffs, ...call.input])],
      files: [...new Set(told.length > 0 ? told : call.input)].filter((place) => place !== ''),
      writes: call.writes || call.diffs.length > 0,
    };
  }

  /**
   * A call of a kind that is not told is judged as an edit only where the agent itself writes. Else it is a tool of a
   * server that the user has added, which may do anything with a path and a text.
   */
  private kindOf({ title, kind, writes, diffs }: KnownCall): string {
    const isEdit = kind === 'other' && (writes || diffs.length > 0) && this.editorTools?.test(title) === true;
    return isEdit ? 'edit' : kind;
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
  const shown = rawInput === undefined || rawInput === null ? undefined : readInput(rawInput);
  const diffs = content?.filter(({ type }) => type === 'diff').map(({ path }) => path ?? '');
  return {
    title: beginning(title) ?? before?.title ?? '',
    kind: beginning(kind) ?? before?.kind ?? 'other',
    command: beginning(shown?.command) ?? before?.command,
    brings: shown?.brings ?? before?.brings,
    writes: shown?.writes ?? before?.writes ?? false,
    state: stateOf(status) ?? before?.state ?? 'pending',
    locations: bounded(locations?.map(({ path }) => path)) ?? before?.locations ?? [],
    diffs: bounded(diffs) ?? before?.diffs ?? [],
    input: bounded(shown?.places) ?? before?.input ?? [],
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
