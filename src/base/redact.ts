import { copyStart, CUT_MARK } from './text';

/**
 * What looks like a key of this service wherever it stands, so behind a letter too (`\nmint_…` in JSON, `%22mint_…` in an
 * address); a key that is not known by value is still blotted out.
 */
const KEY_SHAPES = /(?:mint|local)_[A-Za-z0-9_-]{6,}/g;

/** The beginning of such a key at the end of a text that was cut. */
const KEY_START = /(?:mint|local)_[A-Za-z0-9_-]{0,5}$/;

/** Without a look-behind, which would walk back over the white space at each character: a long run of it took minutes. */
const BEARER = /\b((?:Bearer\s+)+)[^\s"']+/g;

/** The longest message that is logged, in UTF-16 units: a service decides how long an error is. */
export const MAX_LOG_LINE = 16_384;

const BLOT = '[secret]';

/** So much of a secret, in characters, counts as a part of it. */
const MIN_PART = 8;

/** Blots out the secrets that it was told, in each form in which they may turn up, and what has the shape of a key. */
export class Redactor {
  /** The longest first, so that a secret that begins with another leaves no tail. */
  private forms: readonly string[] = [];

  add(secret: string): void {
    if (secret.length < 6) {
      return;
    }
    const json = JSON.stringify(secret).slice(1, -1);
    const own = [secret, encodeURIComponent(secret), encodeURI(secret), json, ...base64Forms(secret)];
    this.forms = [...new Set([...this.forms, ...own])].sort((a, b) => b.length - a.length);
  }

  /** For a log: what only looks like a key goes, too, and a text that is too long for it is cut. */
  redact(text: string): string {
    if (text.length > MAX_LOG_LINE) {
      const start = this.blotEnd(this.blot(copyStart(text, MAX_LOG_LINE)), 1).replace(KEY_START, BLOT);
      return this.redactWhole(start) + CUT_MARK;
    }
    return this.redactWhole(text);
  }

  private redactWhole(text: string): string {
    return this.blot(text).replace(BEARER, `$1${BLOT}`).replace(KEY_SHAPES, BLOT);
  }

  /** For text that is kept or shown: only the secrets themselves go. */
  blot(text: string): string {
    return this.forms.reduce((rest, form) => rest.replaceAll(form, BLOT), text);
  }

  /** Where a text holds a secret that it was told, in UTF-16 units; places may lie over one another. */
  find(text: string): { start: number; end: number }[] {
    return this.forms.flatMap((form) => {
      const places: { start: number; end: number }[] = [];
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
        places.push({ start: at, end: at + form.length });
      }
      return places;
    });
  }

  /** `blot` in each text of a value that came as JSON, names of fields included. */
  blotAll<T>(value: T): T {
    return this.blotValue(value) as T;
  }

  /** The beginning of a secret at the end of a text that was cut; `least` is how many characters count as one. */
  private blotEnd(text: string, least = MIN_PART): string {
    // The longest match of all forms: a shorter match of another form would leave the rest of a secret.
    const longest = Math.max(0, ...this.forms.map((form) => startAtEnd(text, form)));
    return longest < least ? text : text.slice(0, -longest) + BLOT;
  }

  private blotValue(value: unknown): unknown {
    if (typeof value === 'string') {
      return this.blotEnd(this.blot(value));
    }
    if (Array.isArray(value)) {
      return value.map((each) => this.blotValue(each));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.blot(name), this.blotValue(each)]));
  }
}

/** The secret in base64 and its variant for addresses, also inside a longer text: at each of the three places in a group. */
function base64Forms(secret: string): string[] {
  const alone = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.from(' '.repeat(before) + secret);
    const base64 = bytes.toString('base64').replace(/=+$/, '');
    // A character at either end may hold bits of what stands around.
    return base64.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
  });
  return [alone, ...inside].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** An error with its stack and its causes as one text, for a log. Not redacted. */
export function describeError(error: unknown): string {
  return describe(error, []);
}

function describe(error: unknown, effects: readonly unknown[]): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const own = error.stack ?? `${error.name}: ${error.message}`;
  const told = [...effects, error];
  const ends = error.cause === undefined || told.includes(error.cause);
  return ends ? own : `${own}\ncaused by: ${describe(error.cause, told)}`;
}

/** How many characters at the end of the text are the beginning of the form. */
function startAtEnd(text: string, form: string): number {
  let length = Math.min(form.length, text.length);
  while (length > 0 && !text.endsWith(form.slice(0, length))) {
    length--;
  }
  return length;
}
