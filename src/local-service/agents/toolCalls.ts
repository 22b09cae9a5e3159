import type { WireToolCall } from './acpMessages';
import type { KnownAgent } from './knownAgents';

const STATES = ['pending', 'in_progress', 'completed', 'failed'] as const;

/** What is known so far about a tool call. */
export interface ToolCall {
  id: string;
  title: string;
  /** For a command, the command itself, to be shown: its title may be the model’s own words. */
  command?: string | undefined;
  /** The protocol’s word for what it does: read, edit, delete, move, search, execute, think, fetch, or another word. */
  kind: string;
  state: (typeof STATES)[number];
  /** The places that it names, as the agent wrote them; an empty one for a diff without a path. */
  places: readonly string[];
}

/** What is kept of a call. Its lists of places are separate, because a message always replaces a list as a whole. */
interface KnownCall extends Omit<ToolCall, 'id' | 'places'> {
  locations: readonly string[];
  diffs: readonly string[];
}

const MAX_TITLE = 1_000;

/** The tool calls of one turn, assembled from the messages that each describe a part of them. */
export class ToolCalls {
  private readonly known = new Map<string, KnownCall>();

  /** @param agent what the agent's requests leave out */
  constructor(private readonly agent: Pick<KnownAgent, 'fileTools' | 'commandTools'> = {}) {}

  /** Adds an update to what is known of its call, and returns the result. Fields that it omits keep their values. */
  update(message: WireToolCall): ToolCall {
    const id = message.toolCallId;
    const call = this.merge(this.known.get(id), message);
    this.known.set(id, call);
    return toToolCall(id, call);
  }

  /**
   * The call that a permission request is about. To the protocol, the request is an update, so what it omits is as the
   * updates said: only these say where Codex (codex-acp 2.6.0) moves a page. It is not kept, so that no other request
   * counts.
   */
  ask(message: WireToolCall): ToolCall {
    const announced = this.known.get(message.toolCallId);
    const call = this.merge(announced, message);
    // opencode 1.18.33 and Kilo 7.7.7 ask with the kind `other` whether a command may use a place outside.
    const isCommand = call.kind === 'other' && announced?.kind === 'execute';
    return toToolCall(message.toolCallId, isCommand ? { ...call, kind: 'execute' } : call);
  }

  /** The name of a call that has not ended; undefined if there is none. */
  get open(): string | undefined {
    const open = [...this.known.values()].find(({ state }) => state === 'pending' || state === 'in_progress');
    return open && (commandOf(open) ?? open.title);
  }

  /** Notes that a call was refused: some agents don't report that it has failed. */
  refuse(id: string): void {
    const call = this.known.get(id);
    if (call !== undefined) {
      call.state = 'failed';
    }
  }

  private merge(before: KnownCall | undefined, message: WireToolCall): KnownCall {
    const title = message.title?.slice(0, MAX_TITLE) ?? before?.title ?? '';
    const isFileTool = this.agent.fileTools?.test(title) === true;
    const reported = message.kind?.slice(0, MAX_TITLE) ?? before?.kind ?? 'other';
    const kind = this.agent.commandTools?.test(title) === true ? 'execute' : reported;
    const { locations = isFileTool ? placesInInput(message.rawInput, kind) : undefined, content } = message;
    return {
      title,
      kind: isFileTool && kind === 'other' ? 'edit' : kind,
      command: commandIn(message.rawInput) ?? before?.command,
      state: STATES.find((state) => state === message.status) ?? before?.state ?? 'pending',
      locations: locations?.map(({ path }) => path) ?? before?.locations ?? [],
      diffs: content?.filter(({ type }) => type === 'diff').map(({ path }) => path ?? '') ?? before?.diffs ?? [],
    };
  }
}

function toToolCall(id: string, { locations, diffs, ...call }: KnownCall): ToolCall {
  return { id, ...call, command: commandOf(call), places: [...new Set([...locations, ...diffs])] };
}

function commandOf({ kind, command }: Pick<ToolCall, 'kind' | 'command'>): string | undefined {
  return kind === 'execute' ? command : undefined;
}

function commandIn(input: unknown): string | undefined {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? command.slice(0, MAX_TITLE) : undefined;
}

/** The lines of a patch that name files. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)/gm;

/**
 * The places in the input of an agent's own tool for files: each `path`, and the files of a patch in `input`. A search
 * that names none is in the whole folder. Undefined for another input that names none.
 */
function placesInInput(input: unknown, kind: string): { path: string }[] | undefined {
  const places: { path: string }[] = [];
  JSON.stringify(input, (name, value: unknown) => {
    if (typeof value === 'string' && name === 'path') {
      places.push({ path: value });
    } else if (typeof value === 'string' && name === 'input') {
      places.push(...[...value.matchAll(PATCHED)].map(([, path = '']) => ({ path: path.trim() })));
    }
    return value;
  });
  return places.length > 0 ? places : kind === 'search' && input !== undefined ? [{ path: '.' }] : undefined;
}
