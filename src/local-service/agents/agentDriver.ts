import type { ChildProcess } from 'node:child_process';
import type { CodedText } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import type { Confinement } from '../../protocol/localService';
import type { Usage } from '../../protocol/usage';
import type { Disposable } from '../../base/disposable';
import type { EarlierMessage } from './turnPrompt';

/** A process on this machine. A later process may reuse its id but has another start time. */
export interface AgentProcess {
  pid: number;
  /** As returned by `processStartTime`. */
  startTime: string;
}

/**
 * How long agents may run. It has to be extended regularly, because the process that runs them can lose the right to.
 */
export interface AgentLease {
  /** Milliseconds from now. */
  remainingMs(): number;
  onRenewed(listener: () => void): Disposable;
}

/** One turn of work for an agent. */
export interface AgentTask {
  /** Marks the processes of the job that are this service's to end: the job's id, and the worker of a team. */
  jobId: string;
  /** Program and arguments. */
  command: readonly string[];
  /** The folder that the agent works in and may change. */
  folder: string;
  /** A folder of the job next to it that only the service uses. */
  directory: string;
  prompt: string;
  /** The job's earlier messages, oldest first, for those that the agent's session has not seen. */
  earlier: readonly EarlierMessage[];
  /** What the agent should know about the repository: the documentation folder, the house rules. Empty if nothing. */
  guidance: string;
  /** What the agent must know for this turn even if its session continues. Empty if nothing. */
  notice: string;
  /** The agent's session of the previous turn; undefined to start a new one. */
  session: string | undefined;
  /** Whether commands may be run. Edits in the folder are always allowed. */
  mayRunCommands: boolean;
  /** Whether the settings of coding agents in the folder may be changed. */
  mayWriteSettings: boolean;
  /** Names of the environment variables that the agent gets in addition to those that every program gets. */
  variables: readonly string[];
  /** Whether to run it in the user's own sandbox program, and what it may reach and write there besides its own. */
  confine: Confinement;
  allowedHosts: readonly string[];
  writableFolders: readonly string[];
  /** Milliseconds after which the agent is stopped. */
  timeoutMs: number;
  /** Stops the agent. */
  signal: AbortSignal;
  /** The agent's supervisor ends it when this runs out, even while the service is suspended. */
  lease?: AgentLease | undefined;
  /** A supervisor of this job that was started ahead and waits for its agent. Without it, one is started. */
  supervisor?: ChildProcess | undefined;
  /** Called once per process, before the agent is sent anything. Resolves once the process is persisted. */
  onStarted: (process: AgentProcess) => Promise<void>;
  /**
   * Called when the prompt is sent in a session, which then knows it and all earlier messages; with undefined if the
   * agent then does nothing but fail, because every later turn might fail in the same way.
   */
  onSession: (session: string | undefined) => Promise<void>;
  /** Called for each action of the agent, in order. */
  onEntry: (entry: ActivityEntry) => void;
  /** Called when the agent has answered but its tools or processes still work, or when it does nothing, and again. */
  onPhase: (phase: 'finishing' | 'idle' | null) => void;
  /** Called when the agent reports tokens in its context, or the cost of its session so far. */
  onUsage: (usage: Usage) => void;
}

/** What an agent said at the end of a turn. Only git determines what it changed. */
export interface AgentOutcome {
  /** Its last message, for the commit message; empty if it said nothing. */
  summary: string;
  /** Why it ended before its work was done: it gave up after a refusal, or something that it had started was ended. */
  endedEarly?: CodedText;
  /** What to say of refused requests if nothing was changed, or something was, and whether more than commands was refused. */
  denied?: { isMajor: boolean; unchanged: CodedText; changed: CodedText | undefined };
  /** What the sandbox has refused. */
  blocked?: CodedText;
}

/** How an agent is started and spoken to: over the Agent Client Protocol, or as a command line. */
export interface AgentDriver {
  /**
   * Runs one turn: starts the agent, resumes the previous turn's session if possible, sends the prompt and waits for
   * the end. Throws TurnFailure if it failed or timed out, and the signal's reason if it was stopped. In each case no
   * process of the agent is left running.
   */
  run(task: AgentTask): Promise<AgentOutcome>;
}
