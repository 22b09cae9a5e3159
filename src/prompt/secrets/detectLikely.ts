import type { Secret } from './secret';

/**
 * Finds likely secrets: JSON Web Tokens, and values whose name suggests a secret. They can't be told from examples
 * reliably, so they are worded differently for the user. All patterns are bounded, and each part of the text is scanned
 * only a few times.
 */
export function detectLikely(text: string): Secret[] {
  return [...webTokens(text), ...namedValues(text)];
}

/** Header, payload and signature; an encrypted token has five parts (RFC 7519). */
function webTokens(text: string): Secret[] {
  const found: Secret[] = [];
  for (const { 0: run, index } of text.matchAll(/[A-Za-z0-9_.-]{40,}/g)) {
    const parts = run.split('.');
    let at = index;
    for (let first = 0; first + 2 < parts.length; first++) {
      const [header = '', payload = '', signature = ''] = parts.slice(first, first + 3);
      // In a diff, the marker of a removed line precedes it.
      const lead = /^[-_]{0,3}/.exec(header)?.[0].length ?? 0;
      if (payload.startsWith('eyJ') && signature.length >= 10 && isHeader(header.slice(lead))) {
        const end = at + header.length + payload.length + signature.length + 2;
        found.push({ kind: 'JSON_WEB_TOKEN', start: at + lead, end });
      }
      at += header.length + 1;
    }
  }
  return found;
}

function isHeader(part: string): boolean {
  const json = part.startsWith('eyJ') ? Buffer.from(part.slice(0, 400), 'base64url').toString('latin1') : '';
  return json.includes('"alg"');
}

/** The end of a name, closing quotes or brackets, and `=` or `:` (but no comparison and no `::`). */
const NAMED =
  /(pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api|access|secret|private|auth|signing|encryption|master|client)[_-]?key|credentials?)\d{0,2}(?:\\?["'`]\]?)?[ \t]{0,4}\??(:=|=>|=(?![=~>])|:(?![:=/]))[ \t]{0,4}/gi;

/** A longer value is not a secret. In characters. */
const MAX_VALUE_LENGTH = 300;
const QUOTED = new RegExp(`\\\\?["'\`]([^"'\`\\\\\\s]{6,${MAX_VALUE_LENGTH}})["'\`\\\\]`, 'y');
const BARE = new RegExp(`[^\\s"'\`,;(){}<>[\\]]{6,${MAX_VALUE_LENGTH + 1}}`, 'y');

function namedValues(text: string): Secret[] {
  const found: Secret[] = [];
  /** Text already matched as a value is not searched for names. */
  let looked = 0;
  for (const { 0: all, 1: word = '', 2: sign = '', index } of text.matchAll(NAMED)) {
    const from = index + all.length;
    const given = index < looked ? undefined : valueAt(text, from, sign);
    if (given === undefined) {
      continue;
    }
    const before = text.slice(Math.max(0, index - 40), index);
    // In a URL query, `&` ends the value.
    const value = /[?&][\w-]*$/.test(before) ? (given.value.split('&', 1)[0] ?? '') : given.value;
    const end = given.start + value.length;
    looked = end;
    const isEnvironment = /^[A-Z]/.test(word) && /[A-Z0-9]_$/.test(before);
    if (value.length <= MAX_VALUE_LENGTH && isName(word, before) && isSecret(value, given.isQuoted, isEnvironment)) {
      found.push({ kind: 'NAMED_VALUE', start: given.start, end });
    }
  }
  return found;
}

function valueAt(
  text: string,
  from: number,
  sign: string,
): { value: string; start: number; isQuoted: boolean } | undefined {
  QUOTED.lastIndex = BARE.lastIndex = from;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) {
    const [whole, value = ''] = quoted;
    return { value, start: from + whole.indexOf(value), isQuoted: true };
  }
  const value = sign === '=>' ? undefined : BARE.exec(text)?.[0];
  // A call, an index, or a longer value.
  const isCode = value !== undefined && /[({[>]/.test(text.charAt(from + value.length));
  return value === undefined || isCode ? undefined : { value, start: from, isQuoted: false };
}

/** “bypass” and “compass” don't name secrets; “dbPass” and “mypassword” do. */
function isName(word: string, before: string): boolean {
  const isShort = /^(pass|passcode|pwd|credentials?)$/i.test(word);
  return !isShort || !/[A-Za-z]$/.test(before) || (/[a-z]$/.test(before) && /^[A-Z]/.test(word));
}

/** What example values consist of. */
const EXAMPLE =
  /pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api|key|your?|my|our|the|this|some|any|new|old|example|sample|placeholder|dummy|fake|test(?:ing)?|demo|default|change|me|redacted|hidden|masked|removed|insert|replace|enter|here|todo|fixme|foo|bar|baz|x{3,}|value|string|text|name|user|admin|root|login|auth|client|access|bearer|basic|local|dev|null|none|undefined|required|optional|abc|def|123456?7?8?9?0?/gi;

/** Data types and algorithm names that end in a number: “int64”, “sha256”. */
const TYPE = /^(?:u?int|float|varchar|char|utf|sha|hmac|md|base|bytes?|rs|hs|es|aes|rsa)[-_]?\d+\w{0,6}$/i;

/** Words and short numbers with separators: a name, a version, a property path. */
const WORDS = /^(?:[a-z]+|v?\d{1,3})(?:[-_./](?:[a-z]+|v?\d{1,3}))*$/i;

/** A property access in code: `request.headers.token1`. */
const PROPERTY = /^[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*)+[!?]?$/i;

/** References instead of values: variables, templates, placeholders, other files, URLs. */
const STANDS_FOR =
  /^(?:\$[a-z_{(]|[<{*[]|%[a-z_({]|\.{0,2}\/|~\/|[a-z]:\\|[a-z][a-z0-9+.-]{1,30}:\/\/)|\$\{|\{\{|<%|…|\.\.\.|\*{3}|•/i;

function isSecret(given: string, isQuoted: boolean, isEnvironment: boolean): boolean {
  const value = given.replace(/[.:!?,]{1,3}$/, '');
  if (value.length < 6 || STANDS_FOR.test(value) || !/[a-z]/i.test(value) || TYPE.test(value)) {
    return false;
  }
  // Characters of YAML and code syntax that can't start an unquoted value.
  if (!isQuoted && (/^[!&*@|>%:=-]/.test(value) || PROPERTY.test(value))) {
    return false;
  }
  if (/^(.)\1*$/.test(value) || rest(value) < 4) {
    return false;
  }
  // Words only: usually a label or an identifier, but possibly a value in an environment variable.
  return WORDS.test(value) ? isEnvironment && /^[a-z]{8,}$/i.test(value) : /[0-9!@#$%^&*+=~]/.test(value);
}

/** How many letters and digits remain after removing typical example text. */
function rest(value: string): number {
  return value.replace(EXAMPLE, '').replace(/[^A-Za-z0-9]|\d{1,4}$/g, '').length;
}
