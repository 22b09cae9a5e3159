/** Returns the decoded value, or undefined for what is no JSON. */
export function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
