/** A text in a line of a page: a name, a value, or the target of a link. Lines and characters count from 0; `end` is exclusive. */
export interface TextPlace {
  line: number;
  start: number;
  end: number;
}

/** An edit of a document, as the editor reports it. */
export interface TextChange {
  range: { start: Position; end: Position };
  text: string;
}

/** What an edit does to the places around it. */
interface Shift {
  start: Position;
  end: Position;
  /** Where the inserted text ends. */
  newEnd: Position;
}

interface Position {
  line: number;
  character: number;
}

/** How far from its place a text is looked for, in lines. */
const MAX_LINES_AWAY = 100;

/** The rest of a longer line, in characters, is not searched. */
const MAX_LINE = 2_000;

/** How much text is searched for all texts together, in characters, so that the editor stays responsive. */
const MAX_SEARCHED = 2_000_000;

/** How many characters looking at a line, or at a place with the text, counts for in that limit. */
const COST = 50;

/**
 * Returns where each text is on a page that may have changed since it was checked: at its place, or else at the nearest
 * one within 100 lines that no other name has. Undefined if it is gone, or if there is too much to search.
 */
export function placeTexts(
  lines: readonly string[],
  wanted: readonly { text: string; place: TextPlace }[],
): (TextPlace | undefined)[] {
  const places = wanted.map(({ text, place }) =>
    lines[place.line]?.slice(place.start, place.end) === text ? place : undefined,
  );
  const search = new Search(lines, new Set(places.map((place) => key(place))));
  let missing = wanted.flatMap(({ text, place: { line } }, index) =>
    places[index] === undefined ? [{ text, line, index }] : [],
  );
  // The nearest places first, so that no finding is lost when a page has a few lines more or less.
  for (let away = 0; away <= MAX_LINES_AWAY && missing.length > 0 && !search.isOver; away++) {
    missing = missing.filter(({ text, line, index }) => {
      places[index] = search.claim(text, line - away) ?? (away === 0 ? undefined : search.claim(text, line + away));
      return places[index] === undefined;
    });
  }
  return places;
}

class Search {
  private left = MAX_SEARCHED;

  constructor(
    private readonly lines: readonly string[],
    private readonly taken: Set<string>,
  ) {}

  get isOver(): boolean {
    return this.left <= 0;
  }

  /** Takes the first free place of the text in a line. */
  claim(wanted: string, line: number): TextPlace | undefined {
    const whole = this.lines[line] ?? '';
    const text = whole.slice(0, MAX_LINE);
    this.left -= text.length + COST;
    for (
      let start = text.indexOf(wanted);
      start !== -1 && !this.isOver;
      start = text.indexOf(wanted, start + wanted.length)
    ) {
      this.left -= COST;
      const place = { line, start, end: start + wanted.length };
      if (standsAt(whole, wanted, place) && !this.taken.has(key(place))) {
        this.taken.add(key(place));
        return place;
      }
    }
    return undefined;
  }
}

/** Whether exactly this text is at the place, and not only a part of a longer name. */
export function standsAt(line: string, text: string, { start, end }: Pick<TextPlace, 'start' | 'end'>): boolean {
  return line.slice(start, end) === text && !isNameCharacter(line[start - 1]) && !isNameCharacter(line[end]);
}

function isNameCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\w$]/.test(character);
}

function key(place: TextPlace | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.start}`;
}

export function toLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/);
}

/** Returns what an edit does. Its text is read once here and not for each place, because it may be a whole page. */
export function readShift({ range: { start, end }, text }: TextChange): Shift {
  const added = toLines(text);
  const last = added.at(-1)?.length ?? 0;
  const character = added.length === 1 ? start.character + last : last;
  return { start, end, newEnd: { line: start.line + added.length - 1, character } };
}

/** Returns the place after an edit; undefined if the edit has touched the text itself. */
export function movePlace(place: TextPlace, { start, end, newEnd }: Shift): TextPlace | undefined {
  if (isBefore({ line: place.line, character: place.end }, start)) {
    return place;
  }
  if (!isBefore(end, { line: place.line, character: place.start })) {
    return undefined;
  }
  const line = place.line + newEnd.line - end.line;
  const by = end.line === place.line ? newEnd.character - end.character : 0;
  return { line, start: place.start + by, end: place.end + by };
}

/** Also true for equal positions. */
function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character <= b.character);
}
