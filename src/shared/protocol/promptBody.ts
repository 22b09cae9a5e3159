/** The longest body that the local service reads, in bytes. The hosted one names no limit before it answers 413. */
export const MAX_LOCAL_BODY_BYTES = 1024 * 1024;

/** The body of the two POSTs of the agent job API, character by character as it goes out. */
export function promptBody(prompt: string): string {
  return JSON.stringify({ prompt });
}

/** So many bytes the body has on the wire. */
export function promptBodyBytes(prompt: string): number {
  return Buffer.byteLength(promptBody(prompt));
}
