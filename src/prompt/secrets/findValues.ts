/** So many units are looked at between two looks at the clock. */
const STRIDE = 4096;

/**
 * Every place of any of the values in a text, in the order of their ends: of those with the same end the longest, and of
 * one value that overlaps itself the whole run. One pass, however many values there are (Aho and Corasick, 1975).
 */
export async function findValues(
  text: string,
  values: Iterable<string>,
  yieldTurn: () => Promise<void>,
): Promise<{ value: string; start: number; end: number }[]> {
  // A state is a beginning of values, 0 the empty one. Each knows the longest other that it ends with, and the longest value.
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

  // Unit by unit through all values, because a state falls back to a shorter one.
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
