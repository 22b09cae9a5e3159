import assert from 'node:assert/strict';
import { jobStatus, STOPPED_REASON, jobUsage } from '../../../../src/local-service/jobs/jobStatus';
import type { Turn, TurnState, TurnUsage } from '../../../../src/local-service/store/jobStore';
import { plain } from '../../../support/codedText';
import { sampleTurn } from '../../../support/sampleTurn';

const turns = (...states: TurnState[]): Turn[] =>
  states.map((state, id) => sampleTurn({ id, state, reason: state === 'failed' ? plain(`reason ${id}`) : null }));

describe('jobStatus', () => {
  for (const state of ['queued', 'running', 'publishing'] as const) {
    it(`is active while a turn is ${state}`, () => {
      assert.deepEqual(jobStatus(turns('done', state)), { status: 'active' });
      assert.deepEqual(jobStatus(turns(state, 'failed')), { status: 'active' });
    });
  }

  it('is the outcome of the newest turn', () => {
    assert.deepEqual(jobStatus(turns('failed', 'done')), { status: 'completed' });
    assert.deepEqual(jobStatus(turns('done', 'failed')), { status: 'failed', error: plain('reason 1') });
    assert.deepEqual(jobStatus(turns('cancelled', 'done')), { status: 'completed' });
  });

  it('distinguishes a job that the user stopped from one that failed', () => {
    assert.deepEqual(jobStatus(turns('done', 'cancelled')), { status: 'failed', error: STOPPED_REASON, stopped: true });
    assert.deepEqual(jobStatus(turns('cancelled', 'failed')), { status: 'failed', error: plain('reason 1') });
  });
});

describe('jobUsage', () => {
  const of = (...reported: (TurnUsage | null)[]) => jobUsage(reported.map((usage) => sampleTurn({ usage })));
  const turn = (session: string, amount: number, currency = 'USD'): TurnUsage => {
    return { session, cost: { amount, currency } };
  };

  it('is unknown when no run has reported any', () => {
    assert.equal(of(), undefined);
    assert.equal(of(null, null), undefined);
  });

  it('uses the last token count of the context, which does not add up across runs', () => {
    assert.deepEqual(of({ session: 'a', tokens: 900 }, { session: 'a', tokens: 500 }, null), { tokens: 500 });
  });

  it('counts the cost of a session once, because each run reports the total of its session so far', () => {
    assert.deepEqual(of(turn('a', 1), null, turn('a', 3)), { cost: { amount: 3, currency: 'USD' } });
  });

  it('adds up the costs of several sessions', () => {
    assert.deepEqual(of(turn('a', 1), turn('a', 3), turn('b', 0.5)), { cost: { amount: 3.5, currency: 'USD' } });
  });

  it('adds a total that has started over, as agents do that lose it when they exit', () => {
    assert.deepEqual(of(turn('a', 3), turn('a', 1), turn('a', 2)), { cost: { amount: 5, currency: 'USD' } });
  });

  it('has no cost in two currencies', () => {
    assert.deepEqual(of(turn('a', 1), { ...turn('b', 1, 'EUR'), tokens: 5 }), { tokens: 5 });
  });
});
