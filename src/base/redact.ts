import { copyStart, CUT_MARK } from './text';

/**
 * Matches anything that looks like a key of this service, even directly after a letter (`\nmint_…` in JSON, `%22mint_…`
 * in a URL), so that a key unknown by value is redacted as well.
 */
const KEY_SHAPES = /(?:mint|local)_[A-Za-z0-9_-]{6,}|team_[0-9a-f]{16,}/g;

/** Matches the beginning of such a key at the end of a truncated text. */
const KEY_START = /(?:(?:mint|local)_[A-Za-z0-9_-]{0,5}|team_[0-9a-f]{0,15})$/;

/** No look-behind, because it would rescan the white space at each character: a long run of it took minutes. */
const BEARER = /\b((?:Bearer\s+)+)[^\s"']+/g;

/** The longest message that is logged, in UTF-16 code units: the service decides how long an error is. */
export const MAX_LOG_LINE = 16_384;

const REDACTED = '[secret]';

/** The minimum length, in characters, at which the beginning of a secret is redacted. */
const MIN_PART = 8;

/** Redacts the secrets added to it, in every form in which they may appear, and text that has the shape of a key. */
export class Redactor {
  /** Longest first, so that a secret that starts with another one leaves no tail. */
  private forms: readonly string[] = [];

  add(secret: string): void {
    if (secret.length < 6) {
      return;
    }
    const json = JSON.stringify(secret).slice(1, -1);
    const own = [secret, encodeURIComponent(secret), encodeURI(secret), json, ...base64Forms(secret)];
    this.forms = [...new Set([...this.forms, ...own])].sort((a, b) => b.length - a.length);
  }

  /** For logs: also redacts text that only looks like a key, and truncates text that is too long. */
  redact(text: string): string {
    if (text.length > MAX_LOG_LINE) {
      const start = this.redactPartialEnd(this.redactSecrets(copyStart(text, MAX_LOG_LINE)), 1);
      return this.redactWhole(start.replace(KEY_START, REDACTED)) + CUT_MARK;
    }
    return this.redactWhole(text);
  }

  private redactWhole(text: string): string {
    return this.redactSecrets(text).replace(BEARER, `$1${REDACTED}`).replace(KEY_SHAPES, REDACTED);
  }

  /** For text that is kept or shown: redacts only the secrets themselves. */
  redactSecrets(text: string): string {
    return this.forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
  }

  /** Returns where a text contains a known secret, in UTF-16 code units. Ranges may overlap. */
  find(text: string): { start: number; end: number }[] {
    return this.forms.flatMap((form) => {
      const places: { start: number; end: number }[] = [];
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
        places.push({ start: at, end: at + form.length });
      }
      return places;
    });
  }

  /** Applies `redactSecrets` to each string in a decoded JSON value, including field names. */
  redactDeep<T>(value: T): T {
    return this.redactValue(value) as T;
  }

  /** Redacts the beginning of a secret at the end of a truncated text, from a length of `least` characters. */
  private redactPartialEnd(text: string, least = MIN_PART): string {
    const mark = text.endsWith(CUT_MARK) ? CUT_MARK : '';
    const shown = text.slice(0, text.length - mark.length);
    // The longest match of all forms: a shorter match of another form would leave the rest of a secret.
    const longest = Math.max(0, ...this.forms.map((form) => startAtEnd(shown, form)));
    return longest < least ? text : shown.slice(0, -longest) + REDACTED + mark;
  }

  private redactValue(value: unknown): unknown {
    if (typeof value === 'string') {
      return this.redactPartialEnd(this.redactSecrets(value));
    }
    if (Array.isArray(value)) {
      return value.map((each) => this.redactValue(each));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.redactSecrets(name), this.redactValue(each)]),
    );
  }
}

/**
 * The secret in base64 and base64url, also as part of a longer text: once for each of the three byte offsets in a
 * group.
 */
function base64Forms(secret: string): string[] {
  const alone = Buffer.from(secret).toString('base64').replaceAll('=', '');
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.from(' '.repeat(before) + secret);
    const base64 = bytes.toString('base64').replaceAll('=', '');
    // A character at either end may encode bits of adjacent text.
    return base64.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
  });
  return [alone, ...inside].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/**
 * Formats an error with its causes as one text, for a log. Not redacted. What was foreseen, such as a failure of a server, takes
 * one line; any other error has its stack. Libraries also report plain objects.
 */
export function describeError(error: unknown): string {
  const { name = '', message, stack, code, cause } = (error ?? {}) as Partial<Error & { code: unknown }>;
  if (typeof message !== 'string') {
    return String(error);
  }
  const isShort = isForeseen(error);
  const more = typeof code === 'string' && !message.includes(code) ? ` (${code})` : '';
  const short = `${message.trim().replace(/\s+/g, ' ') || name}${more}`;
  const own = isShort ? short : (stack ?? `${name}: ${message}`);
  const because = isShort && isForeseen(cause) ? ', caused by: ' : '\ncaused by: ';
  return cause === undefined ? own : `${own}${because}${describeError(cause)}`;
}

const BUILT_IN: ReadonlySet<unknown> = new Set([Error, TypeError, RangeError, ReferenceError, SyntaxError, URIError]);

/**
 * True for a failure outside this program, and for an error that it threw on purpose: the error or one of its causes has the
 * code of a system or a server, or its own class. Node's codes that start with `ERR_` also stand for bugs in the program.
 */
function isForeseen(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const isForeseenItself =
    typeof code === 'string' ? !code.startsWith('ERR_') : error instanceof Error && !BUILT_IN.has(error.constructor);
  return isForeseenItself || isForeseen(cause);
}

/** Returns how many characters at the end of the text match the beginning of the form. */
function startAtEnd(text: string, form: string): number {
  const last = text.slice(-1);
  let length = Math.min(form.length, text.length);
  while (length > 0 && !text.endsWith(form.slice(0, length))) {
    // Only a part with the same last character can match.
    length = length === 1 ? 0 : form.lastIndexOf(last, length - 2) + 1;
  }
  return length;
}
