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
  if (wanted.every((line, index) => lines[from - 1 + index] === line)) {
    return from;
  }
  // A blank line is everywhere and says nothing.
  const places = quoted.trim() === '' ? [] : placesOf(wanted, lines);
  return places.length === 1 ? places[0] : undefined;
}

/** Every line at which `wanted` begins in `lines` (Knuth, Morris, Pratt: linear, also where many lines are the same). */
function placesOf(wanted: readonly string[], lines: readonly string[]): number[] {
  const borders = [0];
  const longerBy = (line: string | undefined, matched: number): number => {
    let length = matched;
    while (length > 0 && wanted[length] !== line) {
      length = borders[length - 1] ?? 0;
    }
    return wanted[length] === line ? length + 1 : length;
  };
  for (let at = 1; at < wanted.length; at += 1) {
    borders.push(longerBy(wanted[at], borders[at - 1] ?? 0));
  }
  const places: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    matched = longerBy(line, matched);
    if (matched === wanted.length) {
      places.push(index - wanted.length + 2);
    }
  }
  return places;
}
