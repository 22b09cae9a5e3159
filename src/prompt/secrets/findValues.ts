/** Number of UTF-16 units processed between two yields. */
const STRIDE = 4096;

/**
 * Finds all occurrences of the values in a text, ordered by their ends. Of several with the same end, returns the
 * longest; overlapping occurrences of one value are merged. One pass for any number of values (Aho and Corasick, 1975).
 */
export async function findValues(
  text: string,
  values: Iterable<string>,
  yieldTurn: () => Promise<void>,
): Promise<{ value: string; start: number; end: number }[]> {
  // A state is a prefix of values; 0 is the empty prefix. Each state stores the longest other state that is a suffix of
  // it, and the longest value that ends there.
  const steps: (Map<number, number> | undefined)[] = [];
  const fallbacks = [0];
  const longest: (string | undefined)[] = [undefined];
  const next = (from: number, unit: number): number => {
    for (let state = from; ; state = fallbacks[state] ?? 0) {
      const to = steps[unit]?.get(state);
      if (to !== undefined || state === 0) {
        return to ?? 0;
      }
    }
  };

  // Breadth-first over all values, because a state falls back to a shorter one.
  let open = [...values].map((value) => ({ value, state: 0 }));
  for (let at = 0; open.length > 0; at++) {
    for (const [index, each] of open.entries()) {
      if (index % STRIDE === 0) {
        await yieldTurn();
      }
      const unit = each.value.charCodeAt(at);
      const ofUnit = (steps[unit] ??= new Map<number, number>());
      let to = ofUnit.get(each.state);
      if (to === undefined) {
        to = fallbacks.length;
        const fallback = each.state === 0 ? 0 : next(fallbacks[each.state] ?? 0, unit);
        ofUnit.set(each.state, to);
        fallbacks.push(fallback);
        longest.push(longest[fallback]);
      }
      each.state = to;
      if (at + 1 === each.value.length) {
        longest[to] = each.value;
      }
    }
    open = open.filter(({ value }) => at + 1 < value.length);
  }

  const places: { value: string; start: number; end: number }[] = [];
  for (let at = 0, state = 0; at < text.length; at++) {
    if (at % STRIDE === 0) {
      await yieldTurn();
    }
    state = next(state, text.charCodeAt(at));
    const value = longest[state];
    const start = at + 1 - (value?.length ?? 0);
    const last = places.at(-1);
    if (value !== undefined && value === last?.value && start < last.end) {
      last.end = at + 1;
    } else if (value !== undefined) {
      places.push({ value, start, end: at + 1 });
    }
  }
  return places;
}
