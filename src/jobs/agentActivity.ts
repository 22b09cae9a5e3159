import type { ActivityEntry, ActivityEvent } from '../protocol/activity';

/** The part of the agent's activity that is worth showing: the current plan and the newest steps. Immutable. */
export interface AgentActivity {
  /** The id of the last event included, and the newest turn with its start time; 0 if there is none. */
  readonly last: number;
  readonly newest: { readonly turn: number; readonly from: number };
  readonly plan: readonly PlanStep[];
  /** Oldest first. */
  readonly turns: readonly AgentTurn[];
  /** How many older steps were dropped. */
  readonly earlier: number;
}

export type PlanStep = Extract<ActivityEntry, { kind: 'plan' }>['steps'][number];

export interface AgentTurn {
  readonly turn: number;
  /** Wall time in milliseconds of the turn's first event, even if that event was dropped. */
  readonly from: number;
  /** Never empty. */
  readonly steps: readonly AgentStep[];
}

/** One entry, or several merged into one. */
export interface AgentStep {
  /** The id of the first event in the step, so that it stays stable while the step grows. */
  readonly id: number;
  readonly at: number;
  readonly entry: Exclude<ActivityEntry, { kind: 'plan' }>;
  /** For messages: the service cut the text here, and the next piece continues it. */
  readonly isCut: boolean;
}

export const EMPTY_ACTIVITY: AgentActivity = { last: 0, newest: { turn: 0, from: 0 }, plan: [], turns: [], earlier: 0 };

/** The number of steps kept, and the maximum length of a message merged from pieces, in characters. */
export const MAX_STEPS = 200;
export const MAX_MESSAGE = 16_000;

/** The service cuts a longer message at this many characters, or one fewer so as not to split a surrogate pair. */
const PIECE = 8_000;

/**
 * Adds events to the story, in the order of their ids. Events that it already includes are ignored.
 *
 * @param redact called with each message that was put together from parts, because a secret may have been split
 */
export function reduceActivity(
  before: AgentActivity,
  events: readonly ActivityEvent[],
  redact: (text: string) => string = (text) => text,
): AgentActivity {
  const builder = new ActivityBuilder(before, redact);
  for (const event of events) {
    builder.add(event);
  }
  return builder.story;
}

/** Returns the state of the newest turn; undefined if unknown. */
export function getNewestTurnState({
  turns,
}: AgentActivity): Extract<ActivityEntry, { kind: 'state' }>['state'] | undefined {
  const states = turns.at(-1)?.steps.map(({ entry }) => (entry.kind === 'state' ? entry.state : undefined));
  return states?.findLast((state) => state !== undefined);
}

interface PlacedStep extends AgentStep {
  readonly turn: number;
}

/** Builds a story from an existing one: keeps its steps in one list and tracks the position of each tool call. */
class ActivityBuilder {
  private last: number;
  private plan: readonly PlanStep[];
  private newest: AgentActivity['newest'];
  private earlier: number;
  private readonly steps: PlacedStep[];
  private readonly starts: Map<number, number>;
  private readonly calls = new Map<string, number>();

  constructor(
    { last, newest, plan, turns, earlier }: AgentActivity,
    private readonly redact: (text: string) => string,
  ) {
    this.last = last;
    this.plan = plan;
    this.earlier = earlier;
    this.newest = newest;
    this.steps = turns.flatMap(({ turn, steps }) => steps.map((step) => ({ ...step, turn })));
    this.starts = new Map(turns.map(({ turn, from }) => [turn, from]));
    this.starts.set(newest.turn, newest.from);
    this.steps.forEach((step, index) => this.remember(step, index));
  }

  get story(): AgentActivity {
    const byTurn = Map.groupBy(this.steps, ({ turn }) => turn);
    const turns = [...byTurn].map(([turn, steps]) => ({
      turn,
      from: this.starts.get(turn) ?? 0,
      steps: steps.map(({ id, at, entry, isCut }) => ({ id, at, entry, isCut })),
    }));
    return { last: this.last, newest: this.newest, plan: this.plan, turns, earlier: this.earlier };
  }

  add({ id, turn, at: iso, entry }: ActivityEvent): void {
    // A service reports its turns one after the other.
    if (id <= this.last || turn < this.newest.turn) {
      return;
    }
    this.last = id;
    const time = Date.parse(iso);
    const at = Number.isNaN(time) ? (this.steps.at(-1)?.at ?? 0) : time;
    if (turn > this.newest.turn) {
      this.newest = { turn, from: at };
      this.starts.set(turn, at);
      this.plan = [];
    }
    if (entry.kind === 'plan') {
      this.plan = entry.steps;
    } else {
      const isCut = entry.kind === 'message' && (entry.text.length === PIECE || entry.text.length === PIECE - 1);
      this.put({ id, at, turn, entry, isCut });
    }
  }

  private put(step: PlacedStep): void {
    const { turn, entry } = step;
    const place = entry.kind === 'tool' ? this.calls.get(callName(turn, entry.call)) : undefined;
    const known = place === undefined ? undefined : this.steps[place - this.earlier];
    const before = this.steps.at(-1);
    if (place !== undefined && known !== undefined) {
      this.steps[place - this.earlier] = { ...known, entry };
    } else if (
      entry.kind === 'message' &&
      before?.turn === turn &&
      before.entry.kind === 'message' &&
      before.isCut &&
      before.entry.text.length + entry.text.length <= MAX_MESSAGE
    ) {
      const text = this.redact(before.entry.text + entry.text);
      this.steps[this.steps.length - 1] = { ...before, entry: { kind: 'message', text }, isCut: step.isCut };
    } else {
      this.remember(step, this.steps.push(step) - 1);
      this.dropOldest();
    }
  }

  private remember({ turn, entry }: PlacedStep, index: number): void {
    if (entry.kind === 'tool') {
      this.calls.set(callName(turn, entry.call), this.earlier + index);
    }
  }

  private dropOldest(): void {
    const oldest = this.steps.length > MAX_STEPS ? this.steps.shift() : undefined;
    if (oldest !== undefined) {
      this.earlier += 1;
      if (oldest.entry.kind === 'tool') {
        this.calls.delete(callName(oldest.turn, oldest.entry.call));
      }
    }
  }
}

function callName(turn: number, call: string): string {
  return `${turn} ${call}`;
}
