import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Thrown when a program was started incorrectly. The message is for the user. */
export class UsageError extends Error {}

export type Given = readonly (string | boolean)[];

/** One row of a program's table of options, from which come the command line, the usage, and the checks. */
export interface Option<T> {
  /** Without `--`; made from the name of the row if absent. */
  flag?: string | undefined;
  /** What stands for its value in the usage; undefined for an option without a value. */
  value?: string;
  about: string;
  /** What `--no-…` does, if there is such an option. */
  negated?: string | undefined;
  /** Converts everything that is given for it, in order; false for `--no-…`. Throws UsageError. */
  read: (given: Given, name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Values<Table extends Options> = { [Name in keyof Table]: ReturnType<Table[Name]['read']> };

/** An option with a text, of which the last one counts. */
export function text<T = string>(
  value: string,
  about: string,
  read: (given: string, name: string) => T = (given) => given as T,
): Option<T | undefined> {
  return { value, about, read: (given, name) => (given.length === 0 ? undefined : read(String(given.at(-1)), name)) };
}

/** An option that may be given several times; undefined if it isn't. */
export function texts(value: string, about: string): Option<readonly string[] | undefined> {
  return { value, about, read: (given) => (given.length === 0 ? undefined : given.map(String)) };
}

/** Reads a text that is one of a few. */
export function oneOf<T extends string>(choices: readonly T[]) {
  return (given: string, name: string): T => {
    const found = choices.find((each) => each === given);
    if (found === undefined) {
      throw new UsageError(`${name} must be one of ${choices.join(', ')}.`);
    }
    return found;
  };
}

/** A whole number, with or without a default. */
export function wholeNumber<T extends number | undefined>(
  about: string,
  least: number,
  most: number,
  otherwise: T,
): Option<number | T> {
  const read = (given: string, name: string): number => {
    if (!/^\d+$/.test(given) || Number(given) < least || Number(given) > most) {
      throw new UsageError(`${name} must be a whole number from ${least} to ${most}.`);
    }
    return Number(given);
  };
  const option = text('N', about, read);
  return { ...option, read: (given, name) => option.read(given, name) ?? otherwise };
}

export function flag(about: string): Option<boolean> {
  return { about, read: (given) => given.at(-1) === true };
}

/** A flag with an opposite; undefined if neither is given. */
export function choice(name: string, about: string, negated: string): Option<boolean | undefined> {
  return { flag: name, about, negated, read: (given) => given.at(-1) as boolean | undefined };
}

/** Reads a command line. Throws UsageError. */
export function readOptions<Table extends Options>(table: Table, args: string[], allowPositionals = false) {
  const options: Record<string, { type: 'string' | 'boolean'; multiple: true }> = {};
  for (const [name, option] of Object.entries(table)) {
    options[flagOf(name, option)] = { type: option.value === undefined ? 'boolean' : 'string', multiple: true };
    if (option.negated !== undefined) {
      // parseArgs knows this by itself only of options without a value.
      options[`no-${flagOf(name, option)}`] = { type: 'boolean', multiple: true };
    }
  }
  const { values, positionals } = parse({ args, options, allowPositionals, allowNegative: true });
  const entries = Object.entries(table).map(([name, option]) => {
    const flag = flagOf(name, option);
    return [name, option.read((values as Record<string, Given>)[flag] ?? [], `--${flag}`)];
  });
  return { values: Object.fromEntries(entries) as Values<Table>, positionals };
}

/** Like `parseArgs`, but throws UsageError with one line. */
function parse(config: ParseArgsConfig) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(`${(error as Error).message.replace(/\s+/g, ' ').replace(/\.$/, '')}. See --help.`);
  }
}

const ABOUT_COLUMN = 26;
const MAX_WIDTH = 120;

/** Describes the options, one or more lines each. */
export function usageOf(table: Options): string {
  const rows = Object.entries(table).flatMap(([name, option]) => {
    const { value, about, negated } = option;
    const flag = flagOf(name, option);
    const head = `  --${flag}${value === undefined ? '' : ` ${value}`}`;
    return [[head, about] as const, ...(negated === undefined ? [] : [[`  --no-${flag}`, negated] as const])];
  });
  return rows.map(([head, about]) => describe(head, about)).join('');
}

function describe(head: string, about: string): string {
  const [first = '', ...rest] = about.split('\n').flatMap((line) => wrap(line, MAX_WIDTH - ABOUT_COLUMN));
  const indent = ''.padEnd(ABOUT_COLUMN);
  const start = head.length < ABOUT_COLUMN ? head.padEnd(ABOUT_COLUMN) : `${head}\n${indent}`;
  return `${start}${[first, ...rest].join(`\n${indent}`)}\n`;
}

/** Breaks a line at spaces. */
function wrap(line: string, width: number): string[] {
  const end = line.length > width ? line.lastIndexOf(' ', width) : -1;
  return end === -1 ? [line] : [line.slice(0, end), ...wrap(line.slice(end + 1), width)];
}

function flagOf(name: string, { flag }: Option<unknown>): string {
  return flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
