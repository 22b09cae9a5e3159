import type { Template } from './parseTemplate';
import type { Variable } from './readVariable';

/** What the user is asked for. */
export type Ask = Extract<Variable, { kind: 'input' | 'pick' }>;

/** Equal ones have the same: the answer goes to all of them. */
export function askKey(ask: Ask): string {
  return JSON.stringify(ask.kind === 'input' ? ask.question : ask.choices);
}

/** What is to be asked, in the order of the text; equal ones once. */
export function asksOf({ pieces }: Template): Ask[] {
  const asks = new Map<string, Ask>();
  for (const piece of pieces) {
    if ((piece.kind === 'input' || piece.kind === 'pick') && !asks.has(askKey(piece))) {
      asks.set(askKey(piece), piece);
    }
  }
  return [...asks.values()];
}
