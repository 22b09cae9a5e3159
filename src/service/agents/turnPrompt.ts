/** An earlier message of the same job. */
export interface EarlierMessage {
  prompt: string;
  /** False when the agent was stopped or failed on it. */
  finished: boolean;
}

/**
 * What an agent is told. The first message goes as it is. A program started anew remembers nothing of the turns before, so
 * a follow-up brings the earlier messages with it; the new one stands last.
 */
export function turnPrompt(earlier: readonly EarlierMessage[], prompt: string): string {
  if (earlier.length === 0) {
    return prompt;
  }
  const parts = earlier.map(({ prompt: text, finished }, index) => {
    const note = finished ? '' : ' (not finished)';
    return `--- Earlier message ${index + 1}${note} ---\n${text}`;
  });
  return [
    'This is a follow-up. The folder holds the work that was done for the earlier messages. Do what the new message asks.',
    ...parts,
    `--- New message ---\n${prompt}`,
  ].join('\n\n');
}
