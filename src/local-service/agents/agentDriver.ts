import type { CodedText } from '../../protocol/codedText';
import type { StoryEntry } from '../../protocol/story';
import type { EarlierMessage } from './turnPrompt';

/** A process that runs on this machine: a later one of the same id has another start time. */
export interface AgentProcess {
  pid: number;
  /** As `processStartTime` tells it. */
  startTime: string;
}

/** One turn's work for an agent. */
export interface AgentTask {
  jobId: string;
  /** Program and arguments. */
  command: readonly string[];
  /** The folder that the agent works in and may change. */
  folder: string;
  /** A folder of the job beside it that only the service uses. */
  directory: string;
  prompt: string;
  /** The messages of the job before this one, oldest first, for what the agent's session has not heard. */
  earlier: readonly EarlierMessage[];
  /** What the agent should know of the repository: the documentation's folder, the house rules. Empty for none. */
  guidance: string;
  /** What the agent must know of this turn whether its session goes on or not. Empty for nothing. */
  notice: string;
  /** The agent's session of the turn before; undefined for a new one. */
  session: string | undefined;
  /** Whether commands may be run; edits in the folder always may. */
  mayRunCommands: boolean;
  /** Whether settings of coding agents in the folder may be changed. */
  mayWriteSettings: boolean;
  /** Names of the variables that the agent sees beyond those that each program sees. */
  variables: readonly string[];
  /** Whether to run it in the user's own sandbox program, where there is one. */
  confine: boolean;
  /** Milliseconds after which the agent is stopped. */
  timeoutMs: number;
  /** Stops the agent. */
  signal: AbortSignal;
  /** Called once a process, before the agent is told anything. Must have kept it when it returns. */
  onStarted: (process: AgentProcess) => void;
  /** Called when the prompt goes out in a session, which then knows it and all earlier messages. */
  onSession: (session: string) => void;
  /** Called for what the agent does, in order. */
  onEntry: (entry: StoryEntry) => void;
}

/** What an agent said at its end; git alone says what it changed. */
export interface AgentOutcome {
  /** Its last words, for the commit message; empty when it said nothing. */
  summary: string;
  /** Why it ended before its work was done, where it was refused something and gave up. */
  endedEarly?: CodedText;
}

/** How an agent is started and spoken to: over the Agent Client Protocol, or as a command line. */
export interface AgentDriver {
  /**
   * Runs one turn: starts the agent, resumes the session of the turn before where it can, prompts it and waits for its
   * end. Throws TurnFailure when it failed or took too long, and the signal's reason when it was stopped. In each case
   * no process of it runs any more.
   */
  run(task: AgentTask): Promise<AgentOutcome>;
}
