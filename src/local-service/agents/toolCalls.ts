import type { WireToolCall } from './acpMessages';
import { MAX_PLACES, readInput } from './toolInput';

/** What is known so far about a tool call. */
export interface ToolCall {
  id: string;
  title: string;
  /** The command that it contains, if any. */
  command?: string | undefined;
  /**
   * The kind that the agent reports: read, edit, delete, move, search, execute, think, fetch, or another word. If its
   * input shows that it does more, that takes precedence.
   */
  kind: string;
  state: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** The places that it names, as the agent wrote them; an empty one for anything that is not understood. */
  places: readonly string[];
  /** Those of them that say which files it concerns. */
  files: readonly string[];
  /** Whether it contains text for a file. */
  writes: boolean;
}

/** How many calls of one turn are remembered, in number and in characters. The oldest are dropped first. */
const MAX_CALLS = 2_000;
const MAX_SIZE = 8 * 1024 * 1024;

/** Limits for each call, in characters. */
const MAX_PLACE = 4_096;
const MAX_TITLE = 1_000;

/** What is kept of a call. Its lists of places are separate, because a message always replaces a list as a whole. */
interface KnownCall {
  title: string;
  kind: string;
  command: string | undefined;
  /** What its input shows it to do beyond its kind. */
  effect: 'execute' | 'fetch' | undefined;
  /** Whether its input contains text to be written. */
  writes: boolean;
  state: ToolCall['state'];
  locations: readonly string[];
  diffs: readonly string[];
  input: readonly string[];
}

/** The tool calls of one turn, assembled from the messages that each describe a part of them. */
export class ToolCalls {
  private readonly known = new Map<string, KnownCall>();
  private size = 0;

  /** @param editorTools see `KnownAgent.editorTools` */
  constructor(private readonly editorTools?: RegExp) {}

  /**
   * Adds a message to what is known of its call, and returns the result. Fields that the message omits keep their
   * values.
   */
  update(message: WireToolCall): ToolCall {
    const id = message.toolCallId;
    const call = mergeCall(this.known.get(id), message);
    this.forget(id);
    this.known.set(id, call);
    this.size += sizeOf(id, call);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX_CALLS && this.size <= MAX_SIZE) {
        break;
      }
      this.forget(oldest);
    }
    const { title, command, effect, state } = call;
    const reported = [...call.locations, ...call.diffs];
    return {
      id,
      title,
      ...(command === undefined ? {} : { command }),
      kind: effect ?? this.kindOf(call),
      state,
      places: [...new Set([...call.locations, ...call.diffs, ...call.input])],
      files: [...new Set(reported.length > 0 ? reported : call.input)].filter((place) => place !== ''),
      writes: call.writes || call.diffs.length > 0,
    };
  }

  /**
   * A call whose kind is unknown counts as an edit only if one of the agent's own tools writes. Otherwise it is a tool
   * of a server that the user has added, which may do anything with a path and a text.
   */
  private kindOf({ title, kind, writes, diffs }: KnownCall): string {
    const isEdit = kind === 'other' && (writes || diffs.length > 0) && this.editorTools?.test(title) === true;
    return isEdit ? 'edit' : kind;
  }

  /** The name of a call that has not ended; undefined if there is none. */
  get open(): string | undefined {
    const open = [...this.known.values()].find(({ state }) => state === 'pending' || state === 'in_progress');
    return open && (open.command ?? open.title);
  }

  /** Notes that a call was refused: some agents don't report that it has failed. */
  refuse(id: string): void {
    const call = this.known.get(id);
    if (call !== undefined) {
      call.state = 'failed';
    }
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

function mergeCall(before: KnownCall | undefined, { title, kind, status, ...lists }: WireToolCall): KnownCall {
  const { locations, content, rawInput } = lists;
  const shown = rawInput === undefined || rawInput === null ? undefined : readInput(rawInput);
  const diffs = content?.filter(({ type }) => type === 'diff').map(({ path }) => path ?? '');
  return {
    title: beginning(title) ?? before?.title ?? '',
    kind: beginning(kind) ?? before?.kind ?? 'other',
    command: beginning(shown?.command) ?? before?.command,
    effect: shown?.effect ?? before?.effect,
    writes: shown?.writes ?? before?.writes ?? false,
    state: stateOf(status) ?? before?.state ?? 'pending',
    locations: bounded(locations?.map(({ path }) => path)) ?? before?.locations ?? [],
    diffs: bounded(diffs) ?? before?.diffs ?? [],
    input: bounded(shown?.places) ?? before?.input ?? [],
  };
}

/** As a copy: a slice would keep the whole text in memory. */
function beginning(text: string | undefined): string | undefined {
  return text && Buffer.from(text.slice(0, MAX_TITLE), 'utf16le').toString('utf16le');
}

function stateOf(status: string | undefined): ToolCall['state'] | undefined {
  const isKnown = status === 'pending' || status === 'in_progress' || status === 'completed' || status === 'failed';
  return isKnown ? status : undefined;
}

/** Cuts the list. An empty place stands for what is left out, and gets the call refused. */
function bounded(places: readonly string[] | undefined): readonly string[] | undefined {
  const kept = places?.slice(0, MAX_PLACES).map((place) => (place.length > MAX_PLACE ? '' : place));
  return kept && kept.length < (places?.length ?? 0) ? [...kept, ''] : kept;
}
