/** Words and signs of values that stand for a secret. Random ones have them so rarely that it doesn't matter. */
const STANDS_FOR =
  /example|sample|placeholder|redacted|(?<![a-z0-9])(?:your|fake|dummy)|x{6,}|\.{3}|…|\*{3}|[<>{}$[\]]/i;

/** Hosts that are in no public network, or that are kept for examples (RFC 2606). */
const NOWHERE = /^(?:localhost|[^.]*|(?:\d+\.){3}\d+|(?:.*\.)?(?:example(?:\.[a-z]+)?|test|invalid|local|localhost))$/i;

/** A password of words, as people write it in examples. */
const WORDS =
  /^(?:[a-z]*(?:pass|pwd|secret|token|key|change|admin|user|root|test|demo|foo|bar)[a-z_-]*\d{0,3}|[a-z]{1,5})$/i;

/** How many signs that follow each other make a series, such as “12345678”. */
const SERIES = 8;

/** Returns whether something that has the form of a secret stands for one: “ghp_xxxx…”, “https://user:pass@example.com”. */
export function isExample(value: string): boolean {
  const [, password, host = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/@:]*:([^@]*)@([^@/:?]*)/i.exec(value) ?? [];
  return password === undefined
    ? STANDS_FOR.test(value) || hasSeries(value.slice(-16)) || new Set(value.slice(-12)).size < 4
    : STANDS_FOR.test(password) || WORDS.test(password) || NOWHERE.test(host);
}

function hasSeries(value: string): boolean {
  let length = 1;
  for (let at = 1; at < value.length && length < SERIES; at++) {
    length = value.charCodeAt(at) === value.charCodeAt(at - 1) + 1 ? length + 1 : 1;
  }
  return length >= SERIES;
}
