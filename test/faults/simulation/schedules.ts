import fc from 'fast-check';
import { REQUEST_OUTCOMES, type OutcomeWeights } from './simService';

/** An action of a user, a machine or the network. `n` selects the window and the prompt, however many there are. */
export type Action =
  | { do: 'open' | 'kill' | 'close' | 'ghost' | 'look' | 'away' | 'create' | 'key'; n: number }
  | { do: 'followUp' | 'later' | 'again' | 'change' | 'discard' | 'untrack' | 'see'; n: number }
  | { do: 'wait' | 'jump'; ms: number }
  | { do: 'weather'; weather: OutcomeWeights }
  | { do: 'full'; full: boolean };

const n = fc.nat({ max: 20 });
const weather: fc.Arbitrary<OutcomeWeights> = fc.record(
  Object.fromEntries(REQUEST_OUTCOMES.map((fate) => [fate, fc.constantFrom(1, 3)])) as Record<
    (typeof REQUEST_OUTCOMES)[number],
    fc.Arbitrary<number>
  >,
  { requiredKeys: [], noNullPrototype: true },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), n }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('followUp' as const, 'later', 'again', 'change', 'discard'), n }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'kill', 'close', 'ghost'), n }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('look' as const, 'away'), n }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('key' as const, 'see', 'untrack'), n }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('weather' as const), weather }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 200, 3000, 30_000, 75_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('full' as const), full: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      ms: fc.constantFrom(43_200_000, -43_200_000, 31_536_000_000),
    }),
  },
);

/** The events on one machine, and the seed for all random choices in them. */
export const schedules = fc.record({ seed: fc.nat(), schedule: fc.array(action, { maxLength: 30, size: 'max' }) });
