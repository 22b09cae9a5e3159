/**
 * What looks like a key of this service wherever it stands, so behind a letter too (`\nmint_…` in JSON, `%22mint_…` in an
 * address); a key that is not known by value is still blotted out.
 */
const KEY_SHAPES = /(?:mint|local)_[A-Za-z0-9_-]{6,}|(?<=\bBearer\s+)[^\s"']+/g;

const BLOT = '[secret]';

/** Blots out the secrets that it was told, in each form in which they may turn up, and what has the shape of a key. */
export class Redactor {
  /** The longest first, so that a secret that begins with another leaves no tail. */
  private forms: readonly string[] = [];

  add(secret: string): void {
    if (secret.length < 6) {
      return;
    }
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    const own = [secret, base64, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
    this.forms = [...new Set([...this.forms, ...own])].sort((a, b) => b.length - a.length);
  }

  redact(text: string): string {
    const byValue = this.forms.reduce((rest, form) => rest.replaceAll(form, BLOT), text);
    return byValue.replace(KEY_SHAPES, BLOT);
  }
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
