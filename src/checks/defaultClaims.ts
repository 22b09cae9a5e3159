import type { Want } from './codeHistory';
import type { DefaultClaim } from './defaultsOnPage';
import { formsOf, literalsOf, sameLiteral } from './literals';
import { ROLES } from './roles';
import type { WordTable } from './wordTable';

/** How much text around a name is read for the default that code gives to it: lines before and after. */
const [LINES_BEFORE, LINES_AFTER] = [2, 6];
/** In characters. */
const MAX_TEXT = 1_500;

/** The defaults that the code gives to names now, by the names that pages have for them. */
export class DefaultsNow {
  /** By word: the literals of its definitions. */
  private readonly found = new Map<string, Set<string>>();

  constructor(claims: readonly DefaultClaim[]) {
    for (const form of claims.flatMap(({ name }) => formsOf(name))) {
      this.found.set(form, new Set());
    }
  }

  get words(): Iterable<string> {
    return this.found.keys();
  }

  add(word: string, text: Buffer, start: number, end: number): void {
    const literals = this.found.get(word);
    if (literals !== undefined) {
      literalsAt(text, start, end).forEach((each) => literals.add(each));
    }
  }

  /** The default that the code gives to a name now; several if its definitions differ. */
  of(name: string): string[] {
    return [...new Set(formsOf(name).flatMap((form) => [...(this.found.get(form) ?? [])]))];
  }

  /** Whether the code gives the name other defaults than the page says, and only such. */
  contradicts({ name, literal }: DefaultClaim): boolean {
    const now = this.of(name);
    return now.length > 0 && now.every((each) => sameLiteral(each, literal) === false);
  }
}

/** Wants the definitions of a name that give it the default of a page. */
export function wantDefault({ name, literal }: DefaultClaim, table: WordTable): Want[] {
  const isAt = (text: Buffer, start: number, end: number): boolean =>
    literalsAt(text, start, end).some((each) => sameLiteral(each, literal) === true);
  return formsOf(name).map((form) => ({
    word: table.add(form),
    key: `${form} = ${literal}`,
    roles: ROLES.any,
    isAt,
    losses: [],
  }));
}

/** The defaults that a text gives to the word at a place. */
export function literalsAt(text: Buffer, start: number, end: number): string[] {
  let from = start;
  for (let line = 0; line <= LINES_BEFORE && from > 0; line++) {
    from = text.lastIndexOf(10, from - 1);
  }
  let to = end;
  for (let line = 0; line <= LINES_AFTER && to !== -1; line++) {
    to = text.indexOf(10, to + 1);
  }
  const first = Math.max(from + 1, start - MAX_TEXT, 0);
  const last = Math.min(to === -1 ? text.length : to, end + MAX_TEXT);
  return readLiterals(text.toString('latin1', first, last), start - first, end - first);
}

/** What was read last: most versions of a file have the same lines. */
const recent = new Map<string, string[]>();
const MAX_RECENT = 2_000;

function readLiterals(text: string, start: number, end: number): string[] {
  const key = `${start} ${end} ${text}`;
  const known = recent.get(key);
  if (known !== undefined) {
    return known;
  }
  if (recent.size === MAX_RECENT) {
    recent.clear();
  }
  const found = literalsOf(text, start, end);
  recent.set(key, found);
  return found;
}
