/** Puts values into a text, in which `{0}`, `{1}` … stand for them. */
export function fill(text: string, values: readonly (string | number)[]): string {
  return text.replaceAll(/\{(\d)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}
