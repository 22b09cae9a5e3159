/** A name in a line of a page. Lines and characters count from 0; `end` is exclusive. */
export interface NamePlace {
  line: number;
  start: number;
  end: number;
}

/** An edit of a document, as the editor reports it. */
export interface TextChange {
  range: { start: Position; end: Position };
  text: string;
}

interface Position {
  line: number;
  character: number;
}

/** How far from its place a name is looked for, in lines. */
const MAX_LINES_AWAY = 100;

/** The rest of a longer line, in characters, is not searched. */
const MAX_LINE = 2_000;

/**
 * Returns where each name stands in a page that may have changed since it was checked: at its place, or else at the
 * nearest one within 100 lines that no other name has. Undefined if it is gone.
 */
export function placeNames(
  lines: readonly string[],
  wanted: readonly { name: string; place: NamePlace }[],
): (NamePlace | undefined)[] {
  const taken = new Set<string>();
  const take = (place: NamePlace | undefined): NamePlace | undefined => {
    taken.add(key(place));
    return place;
  };
  const exact = wanted.map(({ name, place }) =>
    lines[place.line]?.slice(place.start, place.end) === name ? take(place) : undefined,
  );
  return wanted.map(({ name, place }, index) => exact[index] ?? take(nearest(lines, name, place.line, taken)));
}

function nearest(
  lines: readonly string[],
  name: string,
  from: number,
  taken: ReadonlySet<string>,
): NamePlace | undefined {
  for (let away = 0; away <= MAX_LINES_AWAY; away++) {
    for (const line of away === 0 ? [from] : [from - away, from + away]) {
      const found = placesIn(lines[line] ?? '', name, line).find((place) => !taken.has(key(place)));
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}

function placesIn(whole: string, name: string, line: number): NamePlace[] {
  const text = whole.slice(0, MAX_LINE);
  const places: NamePlace[] = [];
  for (let start = text.indexOf(name); start !== -1; start = text.indexOf(name, start + name.length)) {
    const place = { line, start, end: start + name.length };
    if (standsAt(whole, name, place)) {
      places.push(place);
    }
  }
  return places;
}

/** Whether exactly this name is at the place, and not only a part of a longer one. */
export function standsAt(line: string, name: string, { start, end }: Pick<NamePlace, 'start' | 'end'>): boolean {
  return line.slice(start, end) === name && !isNameCharacter(line[start - 1]) && !isNameCharacter(line[end]);
}

function isNameCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\w$]/.test(character);
}

function key(place: NamePlace | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.start}`;
}

/** Returns the place after an edit; undefined if the edit has touched the name itself. */
export function movePlace(place: NamePlace, { range: { start, end }, text }: TextChange): NamePlace | undefined {
  if (isBefore({ line: place.line, character: place.end }, start)) {
    return place;
  }
  if (!isBefore(end, { line: place.line, character: place.start })) {
    return undefined;
  }
  const added = text.split(/\r\n|[\r\n]/);
  const line = place.line + added.length - 1 - (end.line - start.line);
  if (end.line !== place.line) {
    return { ...place, line };
  }
  const last = added.at(-1)?.length ?? 0;
  const by = (added.length === 1 ? start.character + last : last) - end.character;
  return { line, start: place.start + by, end: place.end + by };
}

/** Two positions that are equal are also in this order. */
function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character <= b.character);
}
