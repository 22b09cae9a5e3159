import { createYielder } from '../../base/async';
import type { Redactor } from '../../base/redact';
import { findValues } from './findValues';
import { type Detector, isLikelyOnly, type Secret } from './secret';

/** So much of a text is looked at in one go, in UTF-16 units. */
const SLICE = 65_536;

/** What stands before a slice is looked at with it, so that nothing seems to begin at the cut. */
const LEAD = 1024;

/** And what stands behind it: longer than any secret that the rules know. */
const REACH = 16_384;

/** A shorter secret, or a longer one, is not looked for elsewhere: it would be found by chance, or for ever. */
const VALUE_LENGTHS = { least: 8, most: REACH };

/**
 * All that the detectors find, in the order of the text, none over another. Lets others go first while it looks. Rejects
 * with the signal's reason once nobody wants the answer anymore.
 */
export async function findSecrets(
  text: string,
  detectors: readonly Detector[],
  signal?: AbortSignal,
): Promise<Secret[]> {
  const letOthersGo = createYielder();
  const yieldTurn = async (): Promise<void> => {
    await letOthersGo();
    signal?.throwIfAborted();
  };
  const found: Secret[] = [];
  for (let start = 0; start < text.length; start += SLICE) {
    const from = Math.max(0, start - LEAD);
    const piece = text.slice(from, start + SLICE + REACH);
    for (const detect of detectors) {
      await yieldTurn();
      for (const secret of await detect(piece)) {
        const at = secret.start + from;
        // What begins beyond the slice belongs to the next one, which sees what stands around it.
        if (at >= start && at < start + SLICE) {
          found.push({ ...secret, start: at, end: secret.end + from });
        }
      }
    }
  }
  return merge([...found, ...(await repeated(text, merge(found), yieldTurn))]);
}

/** The text with each secret's kind in its place. */
export function blotOut(text: string, secrets: readonly Secret[], nameOf: (kind: string) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const secret of merge(secrets)) {
    parts.push(text.slice(end, secret.start), `[blotted out: ${nameOf(secret.kind)}]`);
    end = secret.end;
  }
  return parts.join('') + text.slice(end);
}

/** The same values where the rules did not know them, such as in the middle of a longer word. */
async function repeated(text: string, secrets: readonly Secret[], yieldTurn: () => Promise<void>): Promise<Secret[]> {
  const { least, most } = VALUE_LENGTHS;
  const fitting = secrets.filter(({ start, end }) => end - start >= least && end - start <= most);
  const kinds = new Map(fitting.map(({ kind, start, end }) => [text.slice(start, end), kind]));
  const places = kinds.size === 0 ? [] : await findValues(text, kinds.keys(), yieldTurn);
  return places.map(({ value, start, end }) => ({ kind: kinds.get(value) ?? '', start, end }));
}

/** In order, and those that overlap as one, of the kind of the longest of which there is no doubt. */
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

/** Keys of the two services by their shape: of the local one exactly, of the hosted one as its documentation shows them. */
const SERVICE_KEY = /(?:mint_[A-Za-z0-9_-]{16,}|local_[0-9a-f]{64})(?![A-Za-z0-9_-])/g;

/** The keys and tokens that the extension itself keeps, in every form in which they may turn up, and what looks like one. */
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
