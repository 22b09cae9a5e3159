import { isStructured } from './names';

/** No longer text is a literal. In characters. */
const MAX_LITERAL = 80;

/** Units of time in milliseconds. */
const TIMES: readonly (readonly [RegExp, number])[] = [
  [/^(?:ns|nano(?:s|seconds?)?)$/, 1e-6],
  [/^(?:us|µs|micro(?:s|seconds?)?)$/, 1e-3],
  [/^(?:ms|msecs?|milli(?:s|seconds?)?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 604_800_000],
];
const SIZE = /^(?:([kmgt])(?:i?b?|(?:ilo|ibi|ega|ebi|iga|era|ebi)bytes?)|b(?:ytes?)?)$/i;

/** A number, and what it counts: milliseconds, bytes, percent, or nothing known. */
interface Quantity {
  amount: number;
  unit: '' | 'ms' | 'B' | '%';
}

/** What one of a unit is. An `m` is a minute, an `M` a megabyte. Sizes count in 1,024s. */
function unitOf(word: string): Quantity | undefined {
  const key = word.length > 2 ? word.toLowerCase() : word;
  const time = TIMES.find(([unit]) => unit.test(key))?.[1];
  if (time !== undefined || key === '%') {
    return { amount: time ?? 1, unit: time === undefined ? '%' : 'ms' };
  }
  const [size, prefix = ''] = key === 'b' ? [] : (SIZE.exec(key) ?? []);
  const power = prefix === '' ? 0 : 1 + 'kmgt'.indexOf(prefix.toLowerCase());
  return size === undefined ? undefined : { amount: 1_024 ** power, unit: 'B' };
}

const NUMBER =
  /^([+-]?(?:0x[\da-fA-F_]+|(?:(?:0o)?\d[\d_]*(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?))(?:_?[iu](?:8|16|32|64|128|size)|_?f(?:32|64)|[LlFfUuDn]{1,2})?$/;
/** `30 s`, `30.seconds` */
const WITH_UNIT = /^([+-]?(?:\.?\d[\d_,]*)(?:\.\d+)?)(?:\s*-?([A-Za-zµ]+|%)|\.([a-z]+)(?:\(\))?)$/;
const COMPOUND = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdw]))+$/;
/** `Duration.ofSeconds(30)`, `timedelta(seconds=30)`, `int64(30)`, `SECONDS.toMillis(30)`. */
const CALL = /^([A-Za-z][\w.:]*)\((?:(\w+)[ ]?[=:])?([^()]+)\)$/;
const CAST = /^(?:u?int(?:eger)?(?:8|16|32|64)?|long|short|float(?:32|64)?|double|number|duration|some)$/i;

function quantityOf(text: string): Quantity | undefined {
  const number = NUMBER.exec(text)?.[1];
  if (number !== undefined) {
    return { amount: Number(number.replaceAll(/[_,]|0o/g, '')), unit: '' };
  }
  const factors = text.replace(/<<\s*(\d{1,2})$/, (_, bits: string) => `* ${2 ** Number(bits)}`).split('*', 6);
  if (factors.length > 1) {
    return factors.map((each) => factorOf(each.trim())).reduce(times);
  }
  const [, count = '', unit, member = unit] = WITH_UNIT.exec(text) ?? [];
  if (member !== undefined) {
    return times(quantityOf(count), unitOf(member));
  }
  if (COMPOUND.test(text)) {
    const parts = text.split(/(?<=[a-zµ])(?=\d)/).map((part) => quantityOf(part)?.amount ?? 0);
    return { amount: parts.reduce((sum, part) => sum + part), unit: 'ms' };
  }
  const [, callee = '', keyword, argument = ''] = CALL.exec(text) ?? [];
  const value = argument === '' ? undefined : quantityOf(argument.trim());
  const called = keyword ?? /^(?:\w+[.:]){0,3}?(\w+)[.:]to[A-Z]\w*$/.exec(callee)?.[1] ?? callee;
  const last = called.split(/[^A-Za-z\d]|(?<=[a-z\d])(?=[A-Z])/).at(-1) ?? '';
  return keyword === undefined && CAST.test(callee.replace(/^.*[.:]/, '')) ? value : times(value, unitOf(last));
}

/** A factor of a product: a number, or a unit such as `time.Second`. */
function factorOf(text: string): Quantity | undefined {
  const unit = /^(?:[\w.:]*[.:])?([A-Za-z]{2,20})$/.exec(text)?.[1];
  return unit === undefined ? quantityOf(text) : unitOf(unit);
}

function times(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a === undefined || b === undefined || (a.unit !== '' && b.unit !== '')
    ? undefined
    : { amount: Number((a.amount * b.amount).toPrecision(12)), unit: a.unit === '' ? b.unit : a.unit };
}

const NOTHING = /^(?:null|none|nil|undefined|nan|unset|empty|required|optional|n\/a|not|see|varies|default|-+|)$/i;
const TRUTH = new Map(
  ['true', 'yes', 'on', 'enabled', 'false', 'no', 'off', 'disabled'].map((word, at) => [word, at < 4]),
);
/** `LogLevel.INFO`, `Level::Info` */
const CONSTANT = /^[A-Z]\w*(?:(?:\.|::)\w+)*(?:\.|::)([A-Z]\w*)$/;
/** A word, a path, or an address: no list, template, or placeholder; or `Filter::AtLeast(Level::Info)`. */
const WORD = /^(?:[^\s"'`<>{}()[\]$*|%…,;]+|[A-Z]\w*(?:\.|::)[A-Z]\w*\([A-Z][\w.:]*\))$/;

/**
 * A literal in the form in which it is compared: numbers as decimals, durations in milliseconds (`30000ms`), sizes in
 * bytes (`1024B`), booleans in lowercase, strings without quotes. Undefined when it says nothing, such as `null`, or
 * isn't a literal.
 */
export function normalizeLiteral(text: string): string | undefined {
  if (text.length > MAX_LITERAL) {
    return undefined;
  }
  let value = text.trim();
  for (let quoted; (quoted = /^(["'`])(.+)\1$|^Some\((.+)\)$/.exec(value)) !== null;) {
    value = (quoted[2] ?? quoted[3] ?? '').trim();
  }
  if (NOTHING.test(value) || value.includes('...')) {
    return undefined;
  }
  const quantity = quantityOf(value);
  if (quantity !== undefined) {
    return `${quantity.amount}${quantity.unit}`;
  }
  const lower = value.toLowerCase();
  return TRUTH.has(lower) ? lower : WORD.test(value) && /\w/.test(value) ? value : undefined;
}

/** Whether two literals have the same value; undefined when that can't be told. */
export function sameLiteral(a: string, b: string): boolean | undefined {
  const [one, other] = [normalizeLiteral(a), normalizeLiteral(b)];
  if (one === undefined || other === undefined || one === other) {
    return one === undefined || other === undefined ? undefined : true;
  }
  const [number, second] = [quantityOf(one), quantityOf(other)];
  if (number !== undefined && second !== undefined) {
    return sameQuantity(number, second);
  }
  const [constant, secondConstant] = [CONSTANT.exec(one)?.[1], CONSTANT.exec(other)?.[1]];
  const areWords = (constant ?? secondConstant) === undefined;
  const [truth, secondTruth] = [TRUTH.get(one), TRUTH.get(other)];
  if ((number ?? second ?? truth ?? secondTruth) === undefined) {
    const isEqual = wordKey(constant ?? one) === wordKey(secondConstant ?? other);
    return isEqual && areWords ? undefined : isEqual;
  }
  // Code often writes 0 for false, constants for numbers, and "yes" for true.
  const isWord = areWords && ((number ?? truth) === undefined) !== ((second ?? secondTruth) === undefined);
  return isWord || (truth !== undefined && secondTruth === !truth) ? false : undefined;
}

function wordKey(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]|^\.\/|\/$/g, '');
}

/** A plain number may count in any unit. */
function sameQuantity(a: Quantity, b: Quantity): boolean | undefined {
  if (a.unit === b.unit || (a.unit !== '' && b.unit !== '')) {
    return a.unit === b.unit ? false : undefined;
  }
  const [plain, { amount, unit }] = a.unit === '' ? [a.amount, b] : [b.amount, a];
  const sizes = [0, 1, 2, 3, 4].flatMap((power) => [1_024 ** power, 1_024 ** power / 1_000 ** power]);
  const units = unit === '%' ? [1, 100] : unit === 'ms' ? TIMES.map(([, time]) => time) : sizes;
  return units.some((each) => Math.abs(amount / each - plain) <= 1e-9 * Math.abs(plain));
}

/** The spellings under which code may define the default of a name. */
export function formsOf(name: string): string[] {
  const keys = name.split(/\.|::|->|#/).filter((key) => key !== '');
  const last = keys.at(-1) ?? '';
  const own = isStructured(last) || last.includes('-') ? last : keys.slice(-2).join('_');
  const words = own
    .replace(/^-+/, '')
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const notations = (parts: readonly string[]): string[] => {
    const pascal = parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join('');
    const camel = pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
    return [camel, pascal, parts.join('_'), parts.join('-'), parts.join('_').toUpperCase()];
  };
  const whole = keys.length > 1 && /^[\w.-]+$/.test(name) ? [name.replace(/^-+/, '')] : [];
  return words.length === 0
    ? []
    : [...new Set([...whole, ...[words, ['default', ...words], [...words, 'default']].flatMap(notations)])];
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!\[)|--\s|<!--|;|%)|\s(?:\/\/|\/\*|#\s)/;
/** Words after a name and a colon that are types. */
const TYPE =
  /^(?:str|string|u?int\d*|integer|long|short|number|bool|boolean|float\d*|double|char|bytes?|any|object|array|list|dict|map|set|date|void|unknown|never|self|this)$/i;

/**
 * The literal that begins at a place, as the code writes it; undefined when it is only a part of the value.
 *
 * @param mayBeWord whether a word without quotes is a literal, too, as in YAML
 */
function valueAt(text: string, start: number, mayBeWord = false): string | undefined {
  const [whole = '', following = ''] = text.slice(start, start + 3 * MAX_LITERAL).split('\n', 2);
  const line = whole.replace(/^(?:Some|String::from)\(/, '');
  const [string, , quoted] = /^(["'`])([^"'`\\]+)\1(?:\.(?:to_string|to_owned|into)\(\))?/.exec(line) ?? [];
  if (string !== undefined) {
    return /^\s*(?:$|[,;)\]}`]|\/\/|#)/.test(line.slice(string.length)) ? quoted : undefined;
  }
  let depth = 0;
  let end = 0;
  for (let mark; (mark = line[end]) !== undefined && !(depth === 0 ? /[)\]},;"'`]/ : /[;"'`]/).test(mark); end++) {
    depth += /[([{]/.test(mark) ? 1 : /[)\]}]/.test(mark) ? -1 : 0;
  }
  const [value = ''] = line
    .slice(0, end)
    .split(/\s(?:\/\/|\/\*|#|--\s)/, 1)
    .map((each) => each.trim());
  const known = normalizeLiteral(value);
  if (known === undefined || /["'`]/.test(line[end] ?? '')) {
    return undefined;
  }
  const isPlain = TRUTH.has(known) || quantityOf(known) !== undefined;
  const isWord =
    mayBeWord &&
    end === line.length &&
    !/^\s*\./.test(following) &&
    /^[a-z\d./~_-][\w./~:@+-]*$/.test(value) &&
    !TYPE.test(value);
  return isPlain ||
    isWord ||
    (/^[A-Z]\w*(?:\.|::)(?:\w+(?:\.|::))*[A-Z]\w*(?:\(|$)/.test(value) && !/default|config|option/i.test(value))
    ? value
    : undefined;
}

/** `name = 5`, `name: int = 5`, `name := 5`, `name time.Duration = 5`, `name { get; set; } = 5` */
const ASSIGNED =
  /^["'`]?\]?[?!]?(?:[ \t]*:[^=,;(){}\n]{0,80}[^=,;(){}\s]|\s+[A-Za-z*[][\w.*[\]<>]{0,60}|\s*\{\s*get;[^{}\n]{0,40}\})?[ \t]*(?::?=|\|\|=|\?\?=)(?![=>~])\s*/;
/** `name: 5`, `"name": 5`, `name => 5` */
const KEYED = /^["'`]?\s*(?:\??:(?![:=])|=>)[ \t]*/;
/** `env.NAME ?? 5`, `options.get("name").unwrap_or(5)` */
const FALLBACK =
  /^["'`]?[\])]*(?:\s*(?:\|\||\?\?|\?:|\bor\b|\|\s?default\b)\s*|(?:\??\.\w+\([^()\n]{0,40}\))*\??\.(?:unwrap_or|orElse|or_else|getOrElse|valueOr|GetValueOrDefault)\(\s*)/;
/** `cmp.Or(options.Name, 5)` */
const COALESCE = /\b(?:cmp\.Or|coalesce)\(\s*[\w.]{0,80}$/i;
/** `fn default_name() -> u32 { 5 }`, `int name() default 5` */
const RETURNED = /^\(\)\s*(?:[^{}\n;=]{0,60}(?:\{|=|:)\s*(?:return\b)?|default\b)\s*/;
const IN_TEMPLATE = /^:?[-=:]([^}\n]{1,80})\}/;
/** `default: 5`, `default_value = "5"`, `.withDefault(5)` */
const DEFAULT =
  /["'`]?(?<!\w)(?:with_?)?(?:default(?:s_?to|_?val(?:ue)?(?:_t)?)?|fallback)["'`]?\s*(?:[:=]>?(?!=)|\()\s*/gi;
/** `Field(5, …)`, `typer.Option(5, …)` */
const FIELD = /^[\w.]{0,40}(?:Field|Option|Argument|Setting)\(\s*/;
/** A name in quotes, or a symbol, as an argument: what stands before it, and the rest of its string. */
const CALLEE = /([A-Za-z_][\w.!]{0,60})\s*\(\s*(?:[^()"'`\n]{0,60},\s*)?["'`:](?:-\w[,| /]{1,2})?-{0,2}$/;
const ARGUMENT = /["'`:](?:-\w[,| /]{1,2})?-{0,2}$/;
const END_OF_ARGUMENT = /^(?:[ =][^"'`\n]{0,40})?["'`](?!\]?\s*(?::(?!:)|=))|^(?=,)/;
/** Words in names of functions that take a name and its default: `getenv`, `IntVarP`, `SetDefault`. */
const TAKES_DEFAULT =
  /^(?:get)?(?:env|environ|fetch|get|default|property|int\d*|bool|string|duration|float\d*|uint\d*)$/i;
const CONDITION =
  /^\s*(?:\}\s*)?(?:if|else|elif|elsif|for|foreach|while|until|switch|case|when|try|catch|except|do|loop|match)\b/;
/** The rest of a name in quotes, what may stand between it and its default, and the comma. */
const AFTER_NAME = /^(?:[ =][^"'`\n]{0,40})?["'`]?\s*,\s*/;
const AFTER_SHORT_FLAG = /^["'`]\s*,\s*["'`]\w?["'`]\s*,\s*/;
const AFTER_TEXT = /^(?:[ =][^"'`\n]{0,40})?["'`]\s*,\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*,\s*/;
/** An option on a command line, a choice, or a template. */
const NO_KEY = /(?:^|[\s=])--$|\?\s*$|\$\{[\w.-]*$/;
const ATTRIBUTE = /^\s*(?:#?\[|@)/;

/**
 * The default literals that a piece of code gives to the name at a place, as the code writes them.
 *
 * @param text the line of the name, and a few before and after it
 */
export function literalsOf(text: string, at: number, end: number): string[] {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const [before, after] = [text.slice(lineStart, at), text.slice(end)];
  if (COMMENT.test(before)) {
    return [];
  }
  const rest = ARGUMENT.test(before) ? END_OF_ARGUMENT.exec(after)?.[0].length : undefined;
  const isArgument = rest !== undefined;
  const above = text.slice(0, lineStart).trimEnd().split('\n').slice(-2);
  const take = (pattern: RegExp): string | undefined => {
    const length = pattern.exec(after)?.[0].length;
    return length === undefined ? undefined : valueAt(after, length);
  };
  const found = [
    take(COALESCE.test(before) ? AFTER_NAME : FALLBACK),
    /\$\{[\w.-]*$/.test(before) ? IN_TEMPLATE.exec(after)?.[1] : undefined,
    ...namedDefaults(after.slice(rest ?? after.search(/[^"'`]|$/)), before.search(/\S|$/), isArgument),
    ...(isArgument ? [take(nextArgument(text.slice(Math.max(0, at - 200), at)))] : []),
    ...(isArgument || NO_KEY.test(before) ? [] : ofKey(before, text.slice(at, end), after, above)),
  ];
  return [...new Set(found)].filter((each) => each !== undefined && normalizeLiteral(each) !== undefined) as string[];
}

/** What is assigned to a key, a variable, a parameter, or a member; or returned by a function of that name. */
function ofKey(before: string, name: string, after: string, above: readonly string[]): (string | undefined)[] {
  const isInLogic = /^\s/.test(before) && above.some((line) => CONDITION.test(line) && !line.includes(name));
  const keyed = ((isInLogic ? null : ASSIGNED.exec(after)) ?? KEYED.exec(after))?.[0];
  const start = keyed ?? RETURNED.exec(after)?.[0];
  const field = keyed === undefined ? '' : (FIELD.exec(after.slice(keyed.length, keyed.length + 80))?.[0] ?? '');
  const mayBeWord = /^\s*(?:- )?["']?(?:[\w-]+\.)*$/.test(before) && keyed?.includes(' = ') !== true;
  const value = start === undefined ? undefined : valueAt(after, start.length + field.length, mayBeWord);
  const last = above.at(-1) ?? '';
  const attributes = [before, last, ATTRIBUTE.test(last) ? (above[0] ?? '') : ''].filter((line) =>
    ATTRIBUTE.test(line),
  );
  return [
    value === undefined || wordKey(value) === wordKey(name) ? undefined : value,
    ...attributes.flatMap((line) => namedDefaults(line.replace(ATTRIBUTE, ''), 0, true)),
  ];
}

/** What stands before the default in a call that takes it after a name. */
function nextArgument(before: string): RegExp {
  const callee = CALLEE.exec(before)?.[1] ?? '';
  const words = callee.split(/[^A-Za-z\d]+|(?<=[a-z\d])(?=[A-Z])/);
  return words.some((word) => TAKES_DEFAULT.test(word))
    ? words.at(-1) === 'P'
      ? AFTER_SHORT_FLAG
      : AFTER_NAME
    : /option$/i.test(callee)
      ? AFTER_TEXT
      : /(?!)/;
}

/**
 * The values of what is called “default” in the rest of a definition.
 *
 * @param indent of the line on which it begins
 * @param isArgument whether it goes on to the end of the brackets around it
 */
function namedDefaults(text: string, indent: number, isArgument: boolean): string[] {
  if (!/default|fallback/i.test(text)) {
    return [];
  }
  const depths = depthsOf(text, indent, isArgument);
  const definition = text.slice(0, depths.length);
  return Array.from(definition.matchAll(DEFAULT)).flatMap(({ 0: word, index }) => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    return (depths[index] ?? 9) > 1 || COMMENT.test(line) ? [] : (valueAt(text, index + word.length) ?? []);
  });
}

/** How deep in brackets each character of a definition is; those in strings count as very deep. */
function depthsOf(text: string, indent: number, isArgument: boolean): number[] {
  const depths: number[] = [];
  let isInBrackets = isArgument;
  let depth = 0;
  /** The indentation of the first line of the body. */
  let body: number | undefined;
  let isDeeper = false;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? '';
    depths.push(depth + (isDeeper ? 2 : 0));
    if (mark === '"' || mark === "'") {
      const length = text.slice(at + 1, at + 100).split(/[\n"']/, 1)[0]?.length ?? 0;
      const isClosed = text[at + length + 1] === mark;
      depths.push(...new Array<number>(isClosed ? length + 1 : 0).fill(9));
      at = depths.length - 1;
    } else if ('([{'.includes(mark)) {
      depth++;
    } else if (')]}'.includes(mark) && --depth < 0) {
      if (!isInBrackets || !/^\s*\./.test(text.slice(at + 1, at + 50))) {
        break;
      }
      isInBrackets = false;
      depth = 0;
    } else if (depth === 0 && !isInBrackets && /[,;\n]/.test(mark)) {
      const inner = mark === '\n' ? text.slice(at + 1, at + 100).search(/\S/) : -1;
      if (inner === -1 || (inner <= indent && text[at + 1 + inner] !== '.')) {
        break;
      }
      body ??= inner;
      isDeeper = inner > body;
    }
    if (mark === '\n' && text[at + 1] === '\n') {
      break;
    }
  }
  return depths;
}
