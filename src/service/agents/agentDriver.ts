/** One turn's work for an agent. */
export interface AgentTask {
  jobId: string;
  /** Program and arguments. */
  command: readonly string[];
  /** The folder that the agent works in and may change. */
  folder: string;
  prompt: string;
  /** Where the end of the agent's output is kept. */
  logFile: string;
  /** Milliseconds after which the agent is stopped. */
  timeoutMs: number;
  /** Stops the agent. */
  signal: AbortSignal;
}

/** How an agent is started and spoken to. */
export interface AgentDriver {
  /**
   * Resolves when the agent has ended well. Throws TurnFailure when it failed or took too long, and the signal's reason
   * when it was stopped. In each case no process of it runs any more.
   */
  run(task: AgentTask): Promise<void>;
}
