import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { MAX_MESSAGE } from '../../base/limits';
import { coded, type CodedText } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry, toEnglish } from '../codedText';
import { parseUsage } from '../../protocol/usage';
import { cutText, MAX_NAMED } from '../text';
import { type Update, updateSchema } from './acpMessages';
import type { RefusedCall } from './acpErrors';
import type { AgentOutcome, AgentTask } from './agentDriver';
import { isEdit, needsCommands, ownRefusal } from './permissions';
import type { ToolCall, ToolCalls } from './toolCalls';
import { isLimitMessage } from './usageLimit';

/** Limits for the log of a turn: characters of a line, files per call, entries. */
const MAX_LINE = 300;
const MAX_FILES = 50;
const MAX_ENTRIES = 5_000;

const MAX_SUMMARY = 2_000;

/** Copilot and Codex send these unsplit and, like all their messages, without an id that tells them apart. */
const REMARK = /^(Info|Warning|Error): /;

/** How often the same call may be refused in a turn. */
const MAX_REFUSALS = 5;

/** What Copilot says when it ends its turn because of a refusal. */
const GAVE_UP = /^(Info: )?Operation cancelled by user\.?$/;

/** How many of the user's messages were replayed from a session's history. */
interface Replay {
  messages: number;
}

/**
 * Records what an agent does in the job's activity log. Joins message chunks and bounds sizes. Passes on the
 * usage that the agent reports.
 */
export class AcpActivityLog {
  /** When the last update arrived, in milliseconds since the epoch. */
  lastUpdate = 0;
  /** Whether it has said, planned, or done anything in this turn. */
  hasActed = false;
  private pieces: { id: string | undefined; text: string } | undefined;
  private lastMessage = '';
  private isRemark = false;
  private refused: (RefusedCall & { id: string }) | undefined;
  private entries = 0;
  private replay: Replay | undefined;
  private readonly refusals = new Map<string, number>();
  private isMajor = false;
  private readonly allowedEdits = new Set<string>();
  /** The places of edits that were refused, or that failed after a refusal: some agents then reject parallel calls. */
  private readonly lostEdits = new Map<string, readonly string[]>();
  private readonly lastWritten = new Map<string, string>();

  constructor(
    /** The job's folder. */
    private readonly folder: string,
    private readonly calls: ToolCalls,
    private readonly task: Pick<AgentTask, 'onEntry' | 'onUsage'>,
    /** Called when the agent asks for the same call again and again. */
    private readonly onStuck: (call: RefusedCall) => void = () => undefined,
  ) {}

  /** Handles an update. One that does not match the schema is ignored. */
  apply(raw: unknown): void {
    this.lastUpdate = Date.now();
    const update = updateSchema.safeParse(raw);
    if (update.success && this.replay === undefined) {
      this.recordUpdate(update.data);
    } else if (this.replay !== undefined && update.data?.sessionUpdate === 'user_message_chunk') {
      this.replay.messages += 1;
    }
  }

  /** Until `endReplay`, updates count as a replay of the session's history, which is not recorded. */
  startReplay(): Readonly<Replay> {
    this.replay = { messages: 0 };
    return this.replay;
  }

  endReplay(): void {
    this.replay = undefined;
  }

  permission(call: ToolCall, answer: 'allowed' | 'refused' | 'cancelled', why: CodedText): void {
    this.hasActed = true;
    this.lastUpdate = Date.now();
    const title = line(call.command ?? '') || this.nameOf(call);
    this.add({ kind: 'permission', title, tool: line(call.kind), answer, why: toEnglish(why), coded: why });
    if (answer !== 'allowed') {
      this.calls.refuse(call.id);
    }
    this.refused = answer === 'refused' ? { id: call.id, title, needsCommands: needsCommands(call.kind) } : undefined;
    if (answer === 'allowed' && isEdit(call.kind)) {
      this.allowedEdits.add(call.id);
    }
    if (this.refused !== undefined) {
      this.isMajor ||= !this.refused.needsCommands;
      if (isEdit(call.kind)) {
        this.lostEdits.set(call.id, call.places);
      }
      const times = (this.refusals.get(title) ?? 0) + 1;
      this.refusals.set(title, times);
      if (times === MAX_REFUSALS) {
        this.onStuck(this.refused);
      }
    }
  }

  /** The last call that the agent was refused, unless it said or did something else afterwards. */
  get refusedLast(): RefusedCall | undefined {
    return this.refused;
  }

  get denied(): AgentOutcome['denied'] {
    const count = [...this.refusals.values()].reduce((sum, times) => sum + times, 0);
    const places = [...new Set([...this.lostEdits.values()].flat())].map((place) => line(this.toRelativePath(place)));
    const names = places.slice(0, MAX_NAMED).join(', ');
    return count === 0
      ? undefined
      : {
          isMajor: this.isMajor,
          unchanged: coded(this.isMajor ? 'nothingAllowed' : 'nothingWithoutCommands', { count }),
          changed: places.length > 0 ? coded('editsLost', { names }) : undefined,
        };
  }

  note(text: CodedText): void {
    this.add(noteEntry(text));
  }

  /** Records any buffered text. Returns the agent's last message, shortened. */
  end(): string {
    this.flush();
    return cutText(this.lastMessage, MAX_SUMMARY);
  }

  private recordUpdate(update: Update): void {
    this.hasActed ||= !['user_message_chunk', 'usage_update'].includes(update.sessionUpdate);
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.addPiece(update.messageId, update.content.text ?? '');
        break;
      case 'agent_thought_chunk':
      case 'user_message_chunk':
        this.flush();
        break;
      case 'plan':
        this.add({
          kind: 'plan',
          steps: update.entries.map(({ content, status }) => ({
            text: line(content),
            state: status === 'in_progress' || status === 'completed' ? status : 'pending',
          })),
        });
        break;
      case 'tool_call':
      case 'tool_call_update':
        // Copilot's status for a tool that its own command line denies without asking the client.
        this.addCall(this.calls.update(update), update.status === 'failed' && update.rawOutput?.code === 'denied');
        break;
      case 'usage_update': {
        const usage = parseUsage({ tokens: update.used, cost: update.cost });
        if (usage !== undefined) {
          this.task.onUsage(usage);
        }
      }
    }
  }

  private addPiece(id: string | undefined, text: string): void {
    const isRemark = id === undefined && (REMARK.test(text) || isLimitMessage(text));
    if (this.pieces !== undefined && (this.pieces.id !== id || isRemark || this.isRemark)) {
      this.flush();
    }
    this.isRemark = isRemark;
    const before = this.pieces?.text ?? '';
    // Keeps more than is recorded, so that the cut is marked.
    this.pieces = { id, text: before.length > MAX_MESSAGE ? before : (before + text).slice(0, 2 * MAX_MESSAGE) };
  }

  private addCall(call: ToolCall, isDenied: boolean): void {
    if (isDenied) {
      this.permission(call, 'refused', ownRefusal(call.kind));
    } else if (call.id !== this.refused?.id && !this.lastWritten.has(call.id.slice(0, MAX_LINE))) {
      this.refused = undefined;
    }
    if (call.state === 'failed' && this.refusals.size > 0 && this.allowedEdits.has(call.id)) {
      this.lostEdits.set(call.id, call.places);
    } else if (call.state === 'completed') {
      const isDone = (places: readonly string[]): boolean => places.some((place) => call.places.includes(place));
      [...this.lostEdits].filter(([, places]) => isDone(places)).forEach(([id]) => this.lostEdits.delete(id));
    }
    const entry: ActivityEntry = {
      kind: 'tool',
      call: call.id.slice(0, MAX_LINE),
      title: this.nameOf(call),
      tool: line(call.kind),
      state: call.state,
      files: call.places.slice(0, MAX_FILES).map((place) => line(this.toRelativePath(place))),
    };
    // A hash and not the entry itself: there may be thousands of large ones.
    const digest = createHash('sha256').update(JSON.stringify(entry)).digest('base64');
    if (this.lastWritten.get(entry.call) !== digest && this.lastWritten.size < MAX_ENTRIES) {
      this.lastWritten.set(entry.call, digest);
      this.add(entry);
    }
  }

  /** Its title; otherwise its first file or its kind, because calls that Gemini CLI 0.61.0 itself refuses have no title. */
  private nameOf({ title, places: [place], kind }: ToolCall): string {
    return line(title) || line(place === undefined ? kind : this.toRelativePath(place));
  }

  /** Relative to the job's folder; unchanged if it lies outside. */
  private toRelativePath(place: string): string {
    const path = relative(this.folder, resolve(this.folder, place));
    const isOutside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
    return isOutside ? place : path.split(sep).join('/') || '.';
  }

  private flush(): void {
    const text = this.pieces?.text.trim() ?? '';
    this.pieces = undefined;
    if (text !== '') {
      if (!GAVE_UP.test(text)) {
        this.refused = undefined;
      }
      this.lastMessage = text;
      this.push({ kind: 'message', text: cutText(text, MAX_MESSAGE) });
    }
  }

  private add(entry: ActivityEntry): void {
    this.flush();
    this.push(entry);
  }

  private push(entry: ActivityEntry): void {
    this.entries += 1;
    if (this.entries < MAX_ENTRIES) {
      this.task.onEntry(entry);
    } else if (this.entries === MAX_ENTRIES) {
      this.task.onEntry(noteEntry(coded('moreThanTold')));
    }
  }
}

/** One line, without control characters. */
function line(text: string): string {
  return cutText(
    text
      .slice(0, 4 * MAX_LINE)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    MAX_LINE,
  );
}
