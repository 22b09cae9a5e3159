import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type AgentActivity,
  reduceActivity,
  MAX_MESSAGE,
  MAX_STEPS,
  EMPTY_ACTIVITY,
  getNewestTurnState,
} from '../../../src/jobs/agentActivity';
import type { ActivityEntry, ActivityEvent } from '../../../src/protocol/activity';

const START = Date.UTC(2026, 4, 1, 12);

/** Events of one turn, one second apart. */
function told(entries: readonly ActivityEntry[], turn = 1, after = 0): ActivityEvent[] {
  return entries.map((entry, index) => {
    const id = after + index + 1;
    return { id, turn, at: new Date(START + id * 1000).toISOString(), entry };
  });
}

const tool = (call: string, state: 'pending' | 'in_progress' | 'completed' | 'failed'): ActivityEntry => {
  return { kind: 'tool', call, title: `Edit ${call}`, tool: 'edit', state, files: [`${call}.md`] };
};
const message = (text: string): ActivityEntry => ({ kind: 'message', text });
const entriesOf = ({ turns }: AgentActivity): ActivityEntry[] =>
  turns.flatMap(({ steps }) => steps.map(({ entry }) => entry));

const entry: fc.Arbitrary<ActivityEntry> = fc.oneof(
  fc.constantFrom(...(['queued', 'running', 'publishing', 'done', 'failed'] as const)).map((state) => {
    return { kind: 'state' as const, state };
  }),
  fc.oneof(fc.string(), fc.constantFrom('x'.repeat(8000), 'y'.repeat(7999))).map(message),
  fc
    .array(fc.record({ text: fc.string(), state: fc.constantFrom('pending', 'completed') }), { maxLength: 3 })
    .map((steps): ActivityEntry => ({ kind: 'plan', steps })),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'd 1'), fc.constantFrom('pending', 'in_progress', 'completed', 'failed'))
    .map(([call, state]) => tool(call, state)),
  fc.string().map((text): ActivityEntry => ({ kind: 'note', text })),
);

/** Consecutive turns with random events. */
const events = (entries: { minLength?: number; maxLength: number }): fc.Arbitrary<ActivityEvent[]> =>
  fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 3 }), entry), entries).map((drawn) => {
    let [id, turn] = [0, 1];
    return drawn.flatMap(([isNext, step, each]) => {
      id += step;
      turn += isNext && id % 5 === 0 ? 1 : 0;
      return [{ id, turn, at: new Date(START + id * 1000).toISOString(), entry: each }];
    });
  });

describe('folded agent activity log', () => {
  it('has the newest plan and each tool call’s last state at its first position', () => {
    const plan = (state: 'pending' | 'completed'): ActivityEntry => ({
      kind: 'plan',
      steps: [{ text: 'Read', state }],
    });
    const entries = [
      plan('pending'),
      tool('a', 'pending'),
      message('Hello.'),
      tool('a', 'completed'),
      plan('completed'),
    ];
    const story = reduceActivity(EMPTY_ACTIVITY, told(entries));
    assert.deepEqual(story.plan, [{ text: 'Read', state: 'completed' }]);
    assert.deepEqual(entriesOf(story), [tool('a', 'completed'), message('Hello.')]);
    assert.deepEqual(story.turns[0]?.steps[0]?.at, START + 2000);
    assert.equal(story.turns[0].from, START + 1000);
    assert.equal(story.last, 5);
  });

  it('keeps calls with the same ID in two turns apart and starts each turn without a plan', () => {
    const plan: ActivityEntry = { kind: 'plan', steps: [{ text: 'Read', state: 'pending' }] };
    const story = reduceActivity(EMPTY_ACTIVITY, [
      ...told([plan, tool('a', 'failed')]),
      ...told([tool('a', 'pending')], 2, 2),
    ]);
    assert.deepEqual(
      story.turns.map(({ turn, steps }) => [turn, steps.map((step) => step.entry)]),
      [
        [1, [tool('a', 'failed')]],
        [2, [tool('a', 'pending')]],
      ],
    );
    assert.deepEqual(story.plan, []);
  });

  it('joins the parts of a split message, but not separate messages', () => {
    const story = reduceActivity(
      EMPTY_ACTIVITY,
      told([message('x'.repeat(8000)), message('end.'), message('Next.'), message('Last.')]),
    );
    assert.deepEqual(entriesOf(story), [message(`${'x'.repeat(8000)}end.`), message('Next.'), message('Last.')]);
    assert.equal(story.turns[0]?.steps[1]?.id, 3);
  });

  it('redacts a secret that was split with its message', () => {
    const parts = [message('can'.padStart(8000, 'x')), message('ary-0123 is the key.')];
    const redact = (text: string): string => text.replaceAll('canary-0123', '[secret]');
    const [joined] = entriesOf(reduceActivity(EMPTY_ACTIVITY, told(parts), redact));
    assert.equal(joined?.kind === 'message' && joined.text.slice(-24), 'xxxx[secret] is the key.');
  });

  it('updates a tool call after earlier steps were dropped, whether folded in one part or two', () => {
    const notes = (count: number): ActivityEntry[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'note', text: `${index}` }));
    const all = told([...notes(MAX_STEPS + 50), tool('a', 'pending'), ...notes(10), tool('a', 'completed')]);
    for (const cut of [0, MAX_STEPS + 55]) {
      const story = reduceActivity(reduceActivity(EMPTY_ACTIVITY, all.slice(0, cut)), all.slice(cut));
      assert.deepEqual(entriesOf(story).at(-11), tool('a', 'completed'));
      assert.deepEqual([entriesOf(story).length, story.earlier], [MAX_STEPS, 61]);
    }
  });

  it('returns the state of the newest turn', () => {
    const entries: ActivityEntry[] = [
      { kind: 'state', state: 'running' },
      message('x'),
      { kind: 'state', state: 'done' },
    ];
    assert.equal(getNewestTurnState(EMPTY_ACTIVITY), undefined);
    assert.equal(getNewestTurnState(reduceActivity(EMPTY_ACTIVITY, told(entries.slice(0, 2)))), 'running');
    assert.equal(getNewestTurnState(reduceActivity(EMPTY_ACTIVITY, told(entries))), 'done');
  });

  it('replaces an invalid time with the previous one', () => {
    const [first, second] = told([message('x'), { kind: 'note', text: 'y' }]);
    const story = reduceActivity(EMPTY_ACTIVITY, [first!, { ...second!, at: 'soon' }]);
    assert.deepEqual(
      story.turns[0]?.steps.map(({ at }) => at),
      [START + 1000, START + 1000],
    );
  });

  it('is the same when folded in overlapping parts as when folded at once', () => {
    fc.assert(
      fc.property(events({ maxLength: 60 }), fc.array(fc.nat({ max: 60 })), fc.nat({ max: 5 }), (all, cuts, again) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), all.length];
        let story = EMPTY_ACTIVITY;
        places.slice(1).forEach((end, index) => {
          story = reduceActivity(story, all.slice(Math.max(0, (places[index] ?? 0) - again), end));
        });
        assert.deepEqual(story, reduceActivity(EMPTY_ACTIVITY, all));
      }),
    );
  });

  it('is the same in two parts when there are more steps than it keeps', () => {
    const plenty = events({ minLength: 2 * MAX_STEPS, maxLength: 3 * MAX_STEPS });
    fc.assert(
      fc.property(plenty, fc.nat({ max: 3 * MAX_STEPS }), (all, cut) => {
        const story = reduceActivity(reduceActivity(EMPTY_ACTIVITY, all.slice(0, cut)), all.slice(cut));
        assert.deepEqual(story, reduceActivity(EMPTY_ACTIVITY, all));
      }),
      { numRuns: 20 },
    );
  });

  it('stays bounded, counts dropped steps, and does not mutate earlier results', () => {
    fc.assert(
      fc.property(events({ maxLength: 3 * MAX_STEPS }), (all) => {
        const half = reduceActivity(EMPTY_ACTIVITY, all.slice(0, all.length >> 1));
        const before = JSON.stringify(half);
        const whole = reduceActivity(half, all);
        assert.equal(JSON.stringify(half), before);
        const steps = whole.turns.flatMap((turn) => turn.steps);
        assert.ok(steps.length <= MAX_STEPS);
        assert.ok(whole.earlier === 0 || steps.length === MAX_STEPS);
        assert.ok(steps.every((step) => step.entry.kind !== 'message' || step.entry.text.length <= MAX_MESSAGE));
        assert.ok(whole.turns.every((turn) => turn.steps.length > 0));
        const ids = steps.map(({ id }) => id);
        assert.deepEqual(
          ids,
          [...new Set(ids)].toSorted((a, b) => a - b),
        );
        const calls = whole.turns.flatMap(({ turn, steps: own }) =>
          own.flatMap((step) => (step.entry.kind === 'tool' ? [`${turn} ${step.entry.call}`] : [])),
        );
        assert.equal(new Set(calls).size, calls.length);
      }),
      { numRuns: 50 },
    );
  });
});
