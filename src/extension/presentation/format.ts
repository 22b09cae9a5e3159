/** Formats times and numbers for a language. */
export interface Format {
  /** 14:32 */
  readonly time: (at: number) => string;
  /** Nov 22 */
  readonly day: (at: number) => string;
  /** Full date and time, for a tooltip. */
  readonly full: (at: number) => string;
  /** 2 d 3 h: the two largest units, down to seconds. */
  readonly duration: (milliseconds: number) => string;
  readonly number: (value: number) => string;
  /**
   * $0.12; more decimals than usual for an amount that would look like zero.
   *
   * @param currency three letters
   */
  readonly cost: (amount: number, currency: string) => string;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** @param language BCP 47; falls back to English if `Intl` rejects it */
export function formatOf(language: string): Format {
  const locale = knownLocale(language);
  const of = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
    const format = onFirstUse(() => new Intl.DateTimeFormat(locale, options));
    return (at) => (Math.abs(at) <= 8.64e15 ? format().format(at) : '');
  };
  const numbers = onFirstUse(() => new Intl.NumberFormat(locale));
  return {
    time: of({ hour: '2-digit', minute: '2-digit' }),
    day: of({ month: 'short', day: 'numeric' }),
    full: of({ dateStyle: 'full', timeStyle: 'medium' }),
    number: (value) => numbers().format(value),
    cost: (amount, currency) => {
      const small = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 2 } : {};
      return new Intl.NumberFormat(locale, { style: 'currency', currency, ...small }).format(amount);
    },
    duration: durations(locale),
  };
}

function durations(locale: string): (milliseconds: number) => string {
  const units = UNITS.map(
    ([unit, seconds]) =>
      [
        onFirstUse(() => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })),
        seconds,
      ] as const,
  );
  return (milliseconds) => {
    const total = Math.max(0, Math.floor(milliseconds / 1000)) || 0;
    let rest = total;
    const parts = units.map(([format, seconds]) => {
      const count = Math.floor(rest / seconds);
      rest -= count * seconds;
      return { count, format };
    });
    const first = parts.findIndex(({ count }) => count > 0);
    const shown = total === 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(({ count }) => count > 0);
    return shown.map(({ count, format }) => format().format(count)).join(' ');
  };
}

/** Formatters take milliseconds to create. */
function onFirstUse<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => (created ??= create());
}

/** Replaces the placeholders in a text from the extension. */
export function fill(template: string, ...values: readonly string[]): string {
  return template.replace(/\{(\d)\}/g, (place, index: string) => values[Number(index)] ?? place);
}

function knownLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
