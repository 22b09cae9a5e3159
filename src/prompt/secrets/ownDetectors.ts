import type { Redactor } from '../../shared/util/redact';
import type { Detector } from './secret';

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
