import type { Want } from './codeHistory';
import type { CodeNow } from './codeNow';
import type { NameOnPage } from './collectNames';
import type { ClassifiedName } from './names';
import { ROLES } from './roles';
import type { WordTable } from './wordTable';

/** A name, and where pages have it. */
export interface NameClaim {
  name: ClassifiedName;
  places: NameOnPage[];
  /** In which roles the code must have it. */
  roles: number;
}

/** Collects the different names. */
export function nameClaims(names: readonly NameOnPage[]): NameClaim[] {
  const claims = new Map<string, NameClaim>();
  for (const onPage of names) {
    const roles = rolesOf(onPage.name);
    const key = `${onPage.name.kind} ${roles} ${onPage.name.inCommand} ${onPage.name.name}`;
    const known = claims.get(key);
    if (known === undefined) {
      claims.set(key, { name: onPage.name, places: [onPage], roles });
    } else {
      known.places.push(onPage);
    }
  }
  return [...claims.values()];
}

/**
 * The roles in which code must have a name for a page to be right. A common word such as `force` says little by itself,
 * so it must be a flag or a key. Any other name must be somewhere outside of comments.
 */
function rolesOf({ kind, name, role, isPlain }: ClassifiedName): number {
  const isOneWord = /^-*[A-Za-z][a-z0-9]*$/.test(name);
  if (kind === 'flag' && isOneWord) {
    return ROLES.flag;
  }
  if (isPlain && role === 'key') {
    return ROLES.key;
  }
  if (isPlain && role === 'command') {
    return ROLES.flag;
  }
  return isPlain ? ROLES.any : ROLES.code;
}

/** Whether finding the word isn't enough, because the code may use it for something else. */
export function needsRole({ roles }: NameClaim): boolean {
  return (roles & (ROLES.any | ROLES.code)) === 0;
}

/** Adds the words that tell whether the code has a name. */
export function addWords({ name, roles }: NameClaim, table: WordTable, wanted: Map<number, number>): void {
  const want = (word: string, each: number): void => {
    const at = table.add(word);
    wanted.set(at, (wanted.get(at) ?? 0) | each);
  };
  for (const form of name.kind === 'file' ? [] : name.groups.flat()) {
    want(form, roles | ROLES.any);
    beginningsOf(form).forEach((each) => want(each, ROLES.code));
  }
  prefixesOf(name).forEach((each) => want(each, ROLES.flag));
}

/** What code has of a name that it assembles: `MY_APP_SEED_` of `MY_APP_SEED_PATH`. */
function beginningsOf(word: string): string[] {
  const ends = Array.from(word.matchAll(/[_-](?=[A-Za-z0-9])/g), ({ index }) => index + 1);
  return ends.slice(1).map((end) => word.slice(0, end));
}

/** Strings that libraries put before the names of all environment variables of a program: `MY_APP` of `MY_APP_PATH`. */
function prefixesOf({ kind, name }: ClassifiedName): string[] {
  return kind === 'variable' ? beginningsOf(name).map((each) => each.slice(0, -1)) : [];
}

/** Returns the groups of a name of which no word is in the code. Empty if the name's owner is missing. */
export function missingGroups({ name, roles }: NameClaim, code: readonly CodeNow[]): string[][] {
  const { owner } = name;
  if (owner !== undefined && !code.some((each) => each.hasModule(owner))) {
    return [];
  }
  const isThere = (word: string): boolean =>
    code.some((each) =>
      name.kind === 'file'
        ? each.hasPath(word)
        : each.has(word, roles) ||
          beginningsOf(word).some((beginning) => each.has(beginning, ROLES.code)) ||
          prefixesOf(name).some((prefix) => each.has(prefix, ROLES.flag)),
    );
  return name.groups.filter((group) => !group.some(isThere)).map((group) => [...group]);
}

/**
 * The forms of a name that the code must have had. Names with hyphens mostly belong to packages and protocols, unless
 * the code had them in another notation. A variable named after a type doesn't make the type one of this code.
 */
export function pastForms({ kind }: ClassifiedName, forms: readonly string[]): readonly string[] {
  const [shown = ''] = forms;
  if (kind === 'identifier' && shown.includes('-')) {
    return forms.filter((form) => !form.includes('-'));
  }
  return kind === 'flag' || shown.includes('-') ? forms : [shown];
}

/** The wants of a check, each once. */
export class Wants {
  readonly all: Want[] = [];
  private readonly byKey = new Map<string, Want>();

  constructor(readonly table: WordTable) {}

  add(word: string, roles: number): Want {
    return this.put({ word: this.table.add(word), key: `${word} ${roles}`, roles, losses: [] });
  }

  /** Returns the want with the same key, if there is one. */
  put(want: Want): Want {
    const known = this.byKey.get(want.key);
    if (known === undefined) {
      this.byKey.set(want.key, want);
      this.all.push(want);
    }
    return known ?? want;
  }
}

/** How many other names of a role a page must have that the code has in this role, and their share. */
const [LEAST_TOLD, LEAST_SHARE] = [2, 0.6];

/**
 * Returns whether the roles of a name can be told apart in this code: the code has most of the other names with the same
 * role on one of its pages in this role. Otherwise, it may declare them in a way that isn't known here.
 */
export function toldApart(
  claims: readonly NameClaim[],
  missing: ReadonlySet<NameClaim>,
): (claim: NameClaim) => boolean {
  const counts = new Map<string, { all: number; there: number }>();
  const withRole = claims.filter(needsRole);
  const keyOf = ({ roles }: NameClaim, path: string): string => `${roles} ${path}`;
  for (const claim of withRole) {
    for (const path of new Set(claim.places.map((place) => place.path))) {
      const count = counts.get(keyOf(claim, path)) ?? { all: 0, there: 0 };
      count.all++;
      count.there += missing.has(claim) ? 0 : 1;
      counts.set(keyOf(claim, path), count);
    }
  }
  return (claim) =>
    claim.places.some(({ path }) => {
      const { all, there } = counts.get(keyOf(claim, path)) ?? { all: 0, there: 0 };
      return there >= LEAST_TOLD && there / all >= LEAST_SHARE;
    });
}
