import { createYielder } from '../../base/async';
import type { Redactor } from '../../base/redact';
import { findValues } from './findValues';
import { type Detector, isLikelyOnly, type Secret } from './secret';

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
