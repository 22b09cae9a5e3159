/** An earlier message of the same job. */
export interface EarlierMessage {
  prompt: string;
  /** False when the agent was stopped or failed on it. */
  finished: boolean;
  /** Whether the agent's session has heard it: a turn can end before its message was sent. */
  told: boolean;
}

/**
 * What an agent is told that remembers nothing of the turns before. The first message goes as it is. A follow-up brings
 * the earlier messages with it, and what the agent should know of the repository stands before all; the new message
 * stands last.
 */
export function turnPrompt(earlier: readonly EarlierMessage[], prompt: string, guidance = ''): string {
  if (earlier.length === 0 && guidance === '') {
    return prompt;
  }
  const parts = earlier.map(({ prompt: text, finished }, index) => {
    const note = finished ? '' : ' (not finished)';
    return `--- Earlier message ${index + 1}${note} ---\n${text}`;
  });
  const followUp =
    'This is a follow-up. The folder holds the work that was done for the earlier messages. Do what the new message asks.';
  return [guidance, earlier.length === 0 ? '' : followUp, ...parts, `--- New message ---\n${prompt}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface ToldTurn {
  earlier: readonly EarlierMessage[];
  prompt: string;
  guidance: string;
  notice: string;
}

/** The whole of a turn, for an agent that remembers nothing. */
export function toldAnew(turn: ToldTurn): string {
  const { earlier, prompt, guidance, notice } = turn;
  return turnPrompt(earlier, prompt, [notice, guidance].filter((part) => part !== '').join('\n\n'));
}
