/** An earlier message of the same job. */
export interface EarlierMessage {
  prompt: string;
  /** False if the agent was stopped or failed while working on it. */
  finished: boolean;
  /** Whether it has reached the agent's session: a turn can end before that. */
  isInSession: boolean;
}

/**
 * Agents treat a prompt such as “/guide is outdated” as a command: opencode then runs the shell commands in the
 * repository's skill of that name, without asking.
 */
const COMMAND = /^[\s\p{C}]*\//u;

/**
 * The prompt for an agent that remembers nothing of the earlier turns. The first message is sent unchanged, unless it
 * looks like a command. A follow-up includes the earlier messages. What the agent should know about the repository comes
 * first, the new message last.
 */
export function turnPrompt(earlier: readonly EarlierMessage[], prompt: string, guidance = ''): string {
  if (earlier.length === 0 && guidance === '' && !COMMAND.test(prompt)) {
    return prompt;
  }
  const parts = earlier.map(({ prompt: text, finished }, index) => {
    const note = finished ? '' : ' (not finished)';
    return `--- Earlier message ${index + 1}${note} ---\n${text}`;
  });
  const followUp =
    'This is a follow-up. The folder contains the work done for the earlier messages. Do what the new message asks.';
  return [guidance, earlier.length === 0 ? '' : followUp, ...parts, `--- New message ---\n${prompt}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface TurnPromptParts {
  earlier: readonly EarlierMessage[];
  prompt: string;
  guidance: string;
  notice: string;
}

/** The complete prompt of a turn, for an agent that remembers nothing. */
export function fullPrompt(turn: TurnPromptParts): string {
  const { earlier, prompt, guidance, notice } = turn;
  return turnPrompt(earlier, prompt, [notice, guidance].filter((part) => part !== '').join('\n\n'));
}
