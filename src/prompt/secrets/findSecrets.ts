import { createYielder } from '../../base/async';
import { Redactor } from '../../base/redact';
import { dropInvisible } from '../../base/text';
import { isExample } from './isExample';
import { type Detector, isLikelyOnly, kindName, type Secret } from './secret';

/** Size of the slices that a text is scanned in, in UTF-16 units. */
const SLICE = 65_536;

/** Text before a slice that is scanned along, so that nothing seems to start at the cut. */
const LEAD = 1024;

/** Text after a slice that is scanned along: longer than any secret that the rules know. */
const REACH = 16_384;

/**
 * Only secrets of this length are searched for elsewhere in the text: shorter ones would match by chance, longer ones
 * take too long.
 */
const VALUE_LENGTHS = { least: 8, most: REACH };

/**
 * Returns all findings of the detectors, in text order and without overlaps. Yields to the event loop in between.
 * Rejects with the signal's reason when aborted.
 */
export async function findSecrets(
  text: string,
  detectors: readonly Detector[],
  signal?: AbortSignal,
): Promise<Secret[]> {
  const yieldToEventLoop = createYielder();
  const yieldTurn = async (): Promise<void> => {
    await yieldToEventLoop();
    signal?.throwIfAborted();
  };
  const found: Secret[] = [];
  for (let start = 0; start < text.length; start += SLICE) {
    const from = Math.max(0, start - LEAD);
    const piece = text.slice(from, start + SLICE + REACH);
    for (const detect of detectors.filter(({ readsWhole }) => !readsWhole)) {
      await yieldTurn();
      for (const secret of await detect(piece)) {
        const at = secret.start + from;
        // A match that starts after the slice belongs to the next one, which has its context.
        if (at >= start && at < start + SLICE) {
          found.push({ ...secret, start: at, end: secret.end + from });
        }
      }
    }
  }
  for (const detect of detectors.filter(({ readsWhole }) => readsWhole)) {
    found.push(...(await detect(text, yieldTurn)));
  }
  return merge([...found, ...(await repeated(text, merge(found), yieldTurn))]);
}

/** Replaces each secret in the text by the name of its kind. */
export function redactFindings(text: string, secrets: readonly Secret[], nameOf: (kind: string) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const secret of merge(secrets)) {
    parts.push(text.slice(end, secret.start), `[redacted: ${nameOf(secret.kind)}]`);
    end = secret.end;
  }
  return parts.join('') + text.slice(end);
}

/** Finds the same values where the rules missed them, such as within a longer word. */
async function repeated(text: string, secrets: readonly Secret[], yieldTurn: () => Promise<void>): Promise<Secret[]> {
  const { least, most } = VALUE_LENGTHS;
  const fitting = secrets.filter(({ start, end }) => end - start >= least && end - start <= most);
  const kinds = new Map(fitting.map(({ kind, start, end }) => [text.slice(start, end), kind]));
  const places = kinds.size === 0 ? [] : await findValues(text, kinds.keys(), yieldTurn);
  return places.map(({ value, start, end }) => ({ kind: kinds.get(value) ?? '', start, end }));
}

/** Sorts, and merges overlapping secrets into one, with the kind of the longest certain finding. */
function merge(secrets: readonly Secret[]): Secret[] {
  const merged: Secret[] = [];
  let weightOfKind = 0;
  for (const secret of secrets.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) {
      merged.push({ ...secret });
      weightOfKind = weight(secret);
    } else {
      last.end = Math.max(last.end, secret.end);
      if (weight(secret) > weightOfKind) {
        last.kind = secret.kind;
        weightOfKind = weight(secret);
      }
    }
  }
  return merged;
}

function weight({ kind, start, end }: Secret): number {
  return isLikelyOnly(kind) ? (end - start) / Number.MAX_SAFE_INTEGER : end - start;
}

/**
 * Service keys by their format: exact for the local service, and for the hosted one as its documentation shows them.
 */
const SERVICE_KEY = /(?:mint_[A-Za-z0-9_-]{16,}|(?:local|team)_[0-9a-f]{64})(?![A-Za-z0-9_-])/g;

/**
 * Detects the keys and tokens stored by the extension itself, in every form in which they may occur, and text that
 * looks like one.
 */
export function ownDetectors(redactor: Pick<Redactor, 'find'>): Detector[] {
  return [
    (text) => redactor.find(text).map((place) => ({ kind: 'OWN', ...place })),
    (text) =>
      [...text.matchAll(SERVICE_KEY)].map(({ 0: key, index }) => ({
        kind: 'SERVICE_KEY',
        start: index,
        end: index + key.length,
      })),
  ];
}

/**
 * Redacts everything in a text that looks like a key or a token. Used for text that goes into a repository's history or
 * to a Git host, where others read it and no one can remove it. The agent gets the prompt as it was sent.
 */
export async function redactDetectedSecrets(text: string): Promise<string> {
  const detectors = await allDetectors();
  const redact = async (each: string): Promise<string> =>
    redactFindings(each, await findSecrets(each, detectors), kindName);
  const redacted = await redact(text);
  // Commits and pull requests drop invisible and control characters, which would put a secret together that they
  // interrupt.
  const visible = dropInvisible(redacted).replace(/(?![\t\n])\p{Cc}/gu, '');
  const seen = visible === redacted ? redacted : await redact(visible);
  return seen === visible ? redacted : seen;
}

async function allDetectors(): Promise<Detector[]> {
  // Loaded lazily, because starting the service needs no rules.
  const { ruleDetectors } = await import('./ruleDetectors');
  return [...ownDetectors(new Redactor()), ...ruleDetectors()];
}

/** A private key is too long to be searched for words of an example, and an account number isn't one. */
const [PRIVATE_KEY, ACCOUNT] = ['PrivateKey', 'AWSAccountID'];

/**
 * Returns what Git hosts take for a secret, too: neither examples, nor what has merely the name of one, which pages about
 * settings are full of. Rejects with the signal's reason when aborted.
 */
export async function findCertainSecrets(text: string, signal: AbortSignal): Promise<Secret[]> {
  const found = await findSecrets(text, await allDetectors(), signal);
  return found.filter(
    ({ kind, start, end }) =>
      !isLikelyOnly(kind) && kind !== ACCOUNT && (kind === PRIVATE_KEY || !isExample(text.slice(start, end))),
  );
}

/** Number of UTF-16 units processed between two yields. */
const STRIDE = 4096;

/**
 * Finds all occurrences of the values in a text, ordered by their ends. Of several with the same end, returns the
 * longest; overlapping occurrences of one value are merged. One pass for any number of values (Aho and Corasick, 1975).
 */
export async function findValues(
  text: string,
  values: Iterable<string>,
  yieldTurn: () => Promise<void>,
): Promise<{ value: string; start: number; end: number }[]> {
  // A state is a prefix of values; 0 is the empty prefix. Each state stores the longest other state that is a suffix of
  // it, and the longest value that ends there.
  const steps: (Map<number, number> | undefined)[] = [];
  const fallbacks = [0];
  const longest: (string | undefined)[] = [undefined];
  const next = (from: number, unit: number): number => {
    for (let state = from; ; state = fallbacks[state] ?? 0) {
      const to = steps[unit]?.get(state);
      if (to !== undefined || state === 0) {
        return to ?? 0;
      }
    }
  };

  // Breadth-first over all values, because a state falls back to a shorter one.
  let open = [...values].map((value) => ({ value, state: 0 }));
  for (let at = 0; open.length > 0; at++) {
    for (const [index, each] of open.entries()) {
      if (index % STRIDE === 0) {
        await yieldTurn();
      }
      const unit = each.value.charCodeAt(at);
      const ofUnit = (steps[unit] ??= new Map<number, number>());
      let to = ofUnit.get(each.state);
      if (to === undefined) {
        to = fallbacks.length;
        const fallback = each.state === 0 ? 0 : next(fallbacks[each.state] ?? 0, unit);
        ofUnit.set(each.state, to);
        fallbacks.push(fallback);
        longest.push(longest[fallback]);
      }
      each.state = to;
      if (at + 1 === each.value.length) {
        longest[to] = each.value;
      }
    }
    open = open.filter(({ value }) => at + 1 < value.length);
  }

  const places: { value: string; start: number; end: number }[] = [];
  for (let at = 0, state = 0; at < text.length; at++) {
    if (at % STRIDE === 0) {
      await yieldTurn();
    }
    state = next(state, text.charCodeAt(at));
    const value = longest[state];
    const start = at + 1 - (value?.length ?? 0);
    const last = places.at(-1);
    if (value !== undefined && value === last?.value && start < last.end) {
      last.end = at + 1;
    } else if (value !== undefined) {
      places.push({ value, start, end: at + 1 });
    }
  }
  return places;
}
