import { settings } from '../settings';

/**
 * Returns the prompt of a new job with the user's standing instructions below it. They come last because the first line
 * of a prompt names its job. A prompt that already ends with them, because it was sent before, stays as it is.
 */
export function withStandingInstructions(prompt: string): string {
  const instructions = settings.instructions().trim();
  return instructions === '' || prompt.trimEnd().endsWith(instructions) ? prompt : `${prompt}\n\n${instructions}`;
}
