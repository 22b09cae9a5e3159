/**
 * Where quoted lines stand in a later version of their file: at the same place, or at the only other place that has
 * them. Undefined when they are not there as they were, or more than once.
 *
 * @param from the line at which they stood; counts from 1
 * @returns the line at which they begin now
 */
export function relocate(quoted: string, from: number, text: string): number | undefined {
  const wanted = quoted.split('\n');
  const lines = text.split(/\r?\n/);
  const standsAt = (start: number): boolean => wanted.every((line, index) => lines[start + index] === line);
  if (standsAt(from - 1)) {
    return from;
  }
  const places = lines.flatMap((_, start) => (standsAt(start) ? [start + 1] : []));
  // A blank line is everywhere and says nothing.
  return places.length === 1 && quoted.trim() !== '' ? places[0] : undefined;
}
