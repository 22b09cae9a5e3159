import { isStructured } from './names';

/** No longer text is a literal. In characters. */
const MAX_LITERAL = 80;

const UNITS = new Map(
  Object.entries({
    'ns nanos nanosecond': 1e-6,
    'us µs micros microsecond': 1e-3,
    'ms millis milli msec millisecond': 1,
    's sec second': 1_000,
    'm min minute': 60_000,
    'h hr hour': 3_600_000,
    'd day': 86_400_000,
    'w week': 604_800_000,
  }).flatMap(([words, factor]) =>
    words.split(' ').flatMap((word): [string, number][] => [
      [word, factor],
      [`${word.length > 2 ? word : '-'}s`, factor],
    ]),
  ),
);
const SIZE = /^(?:([kmgt])(?:i?b?|(?:ilo|ibi|ega|ebi|iga|era|ebi)bytes?)|B|bytes?)$/i;

/** A number, and what it counts: milliseconds, bytes, percent, or nothing known. */
interface Quantity {
  amount: number;
  unit: '' | 'ms' | 'B' | '%';
}

/** What one of a unit is. An `m` is a minute, an `M` a megabyte. Sizes count in 1,024s. */
function unitOf(word: string): Quantity | undefined {
  const time = UNITS.get(word) ?? (word.length > 2 ? UNITS.get(word.toLowerCase()) : undefined);
  if (time !== undefined) {
    return { amount: time, unit: 'ms' };
  }
  const size = word === 'b' ? null : SIZE.exec(word);
  return size === null ? undefined : { amount: 1_024 ** ' kmgt'.indexOf((size[1] ?? ' ').toLowerCase()), unit: 'B' };
}

const NUMBER =
  /^([+-]?(?:0x[\da-fA-F_]+|(?:\d[\d_]*(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?))(?:_?[iu](?:8|16|32|64|128|size)|_?f(?:32|64)|[LlFfUuDn]{1,2})?$/;
const WITH_UNIT = /^([+-]?(?:\.?\d[\d_,]*)(?:\.\d+)?)\s*-?([A-Za-zµ]+|%)$/;
const COMPOUND = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdw]))+$/;
const ISO_DURATION = /^PT?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/;
/** `Duration.ofSeconds(30)`, `timedelta(seconds=30)`, `int64(30)`, `SECONDS.toMillis(30)`. */
const CALL = /^([A-Za-z][\w.:]*)\((?:(\w+)[ ]?[=:])?([^()]+)\)$/;
const CAST = /^(?:u?int(?:eger)?(?:8|16|32|64)?|long|short|float(?:32|64)?|double|number|duration|some)$/i;
const MEMBER = /^(\d[\d_]*)\.([a-z]+)(?:\(\))?$/;

function quantityOf(text: string): Quantity | undefined {
  const number = NUMBER.exec(text)?.[1];
  if (number !== undefined) {
    const amount = Number(number.replaceAll(/[_,]/g, ''));
    return Number.isFinite(amount) ? { amount, unit: '' } : undefined;
  }
  const factors = text.split('*');
  if (factors.length > 1) {
    return factors.length > 5 ? undefined : product(factors.map((each) => factorOf(each.trim())));
  }
  const [, base, shift] = /^(\d+)\s*<<\s*(\d+)$/.exec(text) ?? [];
  if (base !== undefined) {
    return { amount: Number(base) * 2 ** Number(shift), unit: '' };
  }
  const [, count, unit] = WITH_UNIT.exec(text) ?? MEMBER.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return unit === '%'
      ? product([quantityOf(count), { amount: 1, unit: '%' }])
      : product([quantityOf(count), unitOf(unit)]);
  }
  if (COMPOUND.test(text)) {
    const parts = text.split(/(?<=[a-zµ])(?=\d)/).map((part) => quantityOf(part)?.amount ?? 0);
    return { amount: parts.reduce((sum, part) => sum + part), unit: 'ms' };
  }
  const [iso, hours = 0, minutes = 0, seconds = 0] = ISO_DURATION.exec(text) ?? [];
  if (iso !== undefined && /\d/.test(iso)) {
    return { amount: (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000, unit: 'ms' };
  }
  const [, callee = '', keyword, argument = ''] = CALL.exec(text) ?? [];
  const value = argument === '' ? undefined : quantityOf(argument.trim());
  const called = keyword ?? /^(?:\w+[.:]){0,3}?(\w+)[.:]to[A-Z]\w*$/.exec(callee)?.[1] ?? callee;
  const last = called.split(/[^A-Za-z\d]|(?<=[a-z\d])(?=[A-Z])/).at(-1) ?? '';
  return value === undefined || (keyword === undefined && CAST.test(callee.replace(/^.*[.:]/, '')))
    ? value
    : product([value, unitOf(last)]);
}

/** A factor of a product: a number, or a unit such as `time.Second`. */
function factorOf(text: string): Quantity | undefined {
  const [, unit] = /^(?:[\w.:]*[.:])?([A-Za-z]{2,20})$/.exec(text) ?? [];
  return unit === undefined ? quantityOf(text) : unitOf(unit);
}

function product(factors: readonly (Quantity | undefined)[]): Quantity | undefined {
  let result: Quantity | undefined = { amount: 1, unit: '' };
  for (const factor of factors) {
    if (factor === undefined || (factor.unit !== '' && result.unit !== '')) {
      return undefined;
    }
    result = {
      amount: Number((result.amount * factor.amount).toPrecision(12)),
      unit: factor.unit === '' ? result.unit : factor.unit,
    };
  }
  return result;
}

const NOTHING = /^(?:null|none|nil|undefined|nan|unset|empty|required|optional|n\/a|not|see|varies|default|-+|)$/i;
const BOOLEANS = [
  ['true', 'false'],
  ['yes', 'no'],
  ['on', 'off'],
  ['enabled', 'disabled'],
] as const;
const TRUTH = new Map(
  BOOLEANS.flatMap(([yes, no]): [string, boolean][] => [
    [yes, true],
    [no, false],
  ]),
);
/** A word, a path, or an address: no list, template, or placeholder. */
const WORD = /^[^\s"'`<>{}()[\]$*|%…,;]+$/;

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

/** `LogLevel.INFO`, `Level::Info`. */
const CONSTANT = /^[A-Z]\w*(?:(?:\.|::)\w+)*(?:\.|::)([A-Z]\w*)$/;

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
  const [truth, secondTruth] = [TRUTH.get(one), TRUTH.get(other)];
  if (truth !== undefined && secondTruth !== undefined) {
    return truth === secondTruth ? undefined : false;
  }
  const [constant, secondConstant] = [CONSTANT.exec(one)?.[1], CONSTANT.exec(other)?.[1]];
  if (number !== undefined || second !== undefined) {
    // Code often writes 0 for false, and constants for numbers.
    return (truth ?? secondTruth) === undefined && (constant ?? secondConstant) === undefined ? false : undefined;
  }
  const isEqual = wordKey(constant ?? one) === wordKey(secondConstant ?? other);
  return isEqual && constant === undefined && secondConstant === undefined ? undefined : isEqual;
}

function wordKey(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]|^\.\/|\/$/g, '');
}

function sameQuantity(a: Quantity, b: Quantity): boolean | undefined {
  if (a.unit === b.unit || (a.unit !== '' && b.unit !== '')) {
    return a.unit === b.unit ? false : undefined;
  }
  const [plain, { amount, unit }] = a.unit === '' ? [a.amount, b] : [b.amount, a];
  const scales =
    unit === '%' ? [1, 100] : unit === 'ms' ? [...UNITS.values()] : [0, 1, 2, 3, 4].map((power) => 1_024 ** power);
  return scales.some(
    (scale, power) =>
      Math.abs(plain * scale - amount) <= 1e-9 * amount ||
      (unit === 'B' && Math.abs(plain - (amount / scale) * 1_000 ** power) <= 1e-9 * plain),
  );
}

/** The spellings under which code may define the default of a name. */
export function formsOf(name: string): string[] {
  const keys = name.split(/\.|::|->|#/).filter((key) => key !== '');
  const last = keys.at(-1) ?? '';
  const own = isStructured(last) || last.includes('-') || last.length >= 5 ? last : keys.slice(-2).join('_');
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
    mayBeWord && end === line.length && !/^\s*\./.test(following) && /^[\w./~:@+-]+$/.test(value) && !TYPE.test(value);
  return isPlain || isWord || (CONSTANT.test(value) && !/default|config|option/i.test(value)) ? value : undefined;
}

/** `name = 5`, `name: int = 5`, `name := 5`, `name time.Duration = 5`, `name { get; set; } = 5` */
const ASSIGNED =
  /^["'`]?\]?[?!]?(?:[ \t]*:[^=,;(){}\n]{0,80}[^=,;(){}\s]|\s+[A-Za-z*[][\w.*[\]<>]{0,60}|\s*\{\s*get;[^{}\n]{0,40}\})?[ \t]*(?::?=|\|\|=|\?\?=)(?![=>~])\s*/;
/** `name: 5`, `"name": 5`, `name => 5` */
const KEYED = /^["'`]?\s*(?:\??:(?![:=])|=>)[ \t]*/;
/** `env.NAME ?? 5`, `options.get("name").unwrap_or(5)` */
const FALLBACK =
  /^["'`]?[\])]*(?:\s*(?:\|\||\?\?|\?:|\bor\b)\s*|(?:\??\.\w+\([^()\n]{0,40}\))*\??\.(?:unwrap_or|orElse|or_else|getOrElse|valueOr|GetValueOrDefault)\(\s*)/;
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
const ATTRIBUTE = /^\s*(?:#?\[|@)/;

/**
 * The default literals that a piece of code gives to the name at a place, as the code writes them.
 *
 * @param text the line of the name, and a few before and after it
 */
export function literalsOf(text: string, at: number, end: number): string[] {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(lineStart, at);
  if (COMMENT.test(before)) {
    return [];
  }
  const after = text.slice(end);
  const above = text.slice(0, lineStart).trimEnd().split('\n').slice(-2);
  const rest = ARGUMENT.test(before) ? END_OF_ARGUMENT.exec(after)?.[0] : undefined;
  const found =
    rest === undefined
      ? ofKey(before, text.slice(at, end), after, above)
      : [ofArgument(text.slice(Math.max(0, at - 200), at), after.slice(rest.length))];
  const fallback = FALLBACK.exec(after);
  found.push(fallback === null ? undefined : valueAt(after, fallback[0].length));
  found.push(/\$\{[\w.-]*$/.test(before) ? IN_TEMPLATE.exec(after)?.[1] : undefined);
  found.push(
    ...namedDefaults(after.slice(rest?.length ?? after.search(/[^"'`]|$/)), before.search(/\S|$/), rest !== undefined),
  );
  return [...new Set(found)].filter((each) => each !== undefined && normalizeLiteral(each) !== undefined) as string[];
}

/** What is assigned to a key, a variable, a parameter, or a member; or returned by a function of that name. */
function ofKey(before: string, name: string, after: string, above: readonly string[]): (string | undefined)[] {
  if (/(?:^|[\s=])--$|\?\s*$|\$\{[\w.-]*$/.test(before)) {
    return [];
  }
  const begins = /^\s*(?:- )?["']?(?:[\w-]+\.)*$/.test(before);
  const isInLogic = /^\s/.test(before) && above.some((line) => CONDITION.test(line) && !line.includes(name));
  const keyed = ((isInLogic ? null : ASSIGNED.exec(after)) ?? KEYED.exec(after))?.[0];
  const returned = RETURNED.exec(after)?.[0];
  const start = (keyed ?? returned)?.length;
  const field = keyed === undefined ? undefined : FIELD.exec(after.slice(start, keyed.length + 80))?.[0];
  const attributes = [above.at(-1) ?? '', before, ...(ATTRIBUTE.test(above.at(-1) ?? '') ? above.slice(0, 1) : [])];
  return [
    start === undefined
      ? undefined
      : valueAt(after, start + (field?.length ?? 0), begins && keyed?.includes(' = ') !== true),
    ...attributes
      .filter((line) => ATTRIBUTE.test(line))
      .flatMap((line) => namedDefaults(line.replace(ATTRIBUTE, ''), 0, true)),
  ];
}

/** The argument after a name in a call that sets or reads it. */
function ofArgument(before: string, rest: string): string | undefined {
  const callee = CALLEE.exec(before)?.[1] ?? '';
  const words = callee.split(/[^A-Za-z\d]+|(?<=[a-z\d])(?=[A-Z])/);
  if (words.some((word) => TAKES_DEFAULT.test(word))) {
    const skipped = (words.at(-1) === 'P' ? /^\s*,\s*["'`]\w?["'`]\s*,\s*/ : /^\s*,\s*/).exec(rest)?.[0];
    return skipped === undefined ? undefined : valueAt(rest, skipped.length);
  }
  const description = /option$/i.test(callee)
    ? /^\s*,\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*,\s*/.exec(rest)?.[0]
    : undefined;
  return description === undefined ? undefined : valueAt(rest, description.length);
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
  let depth = 0;
  /** Of the first line of an indented body. */
  let body: number | undefined;
  let isDeeper = false;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? '';
    const next = text.slice(at + 1, at + 100);
    depths.push(depth + (isDeeper ? 2 : 0));
    if (mark === '"' || mark === "'") {
      const end = next.split('\n', 1)[0]?.indexOf(mark) ?? -1;
      depths.push(...new Array<number>(end + 1).fill(9));
      at += end + 1;
    } else if ('([{'.includes(mark)) {
      depth++;
    } else if (')]}'.includes(mark)) {
      depth--;
      if (depth < 0 && !(isArgument && /^\s*\./.test(next))) {
        break;
      }
      depth = Math.max(0, depth);
    } else if (depth === 0 && !isArgument && /[,;]/.test(mark)) {
      break;
    } else if (mark === '\n') {
      const inner = next.search(/\S/);
      if (
        inner === -1 ||
        next.slice(0, inner).includes('\n') ||
        (depth === 0 && !isArgument && inner <= indent && next[inner] !== '.')
      ) {
        break;
      }
      body ??= inner;
      isDeeper = depth === 0 && !isArgument && inner > body;
    }
  }
  return depths;
}
