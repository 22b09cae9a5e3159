import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { readFromPage, readPageState } from '../../../../src/extension/features/job-page/fromPage';

describe('messages from the job page', () => {
  it('are read as their contract defines them, without extra fields', () => {
    deepStrictEqual(readFromPage({ type: 'ready' }), { type: 'ready' });
    deepStrictEqual(readFromPage({ type: 'draft', text: '', more: 1 }), { type: 'draft', text: '' });
    deepStrictEqual(readFromPage({ type: 'send', text: 'a' }), { type: 'send', text: 'a' });
    const later = { type: 'send', text: 'a', when: 'ended' };
    deepStrictEqual(readFromPage(later), later);
    deepStrictEqual(readFromPage({ type: 'action', id: 'x' }), { type: 'action', id: 'x' });
    deepStrictEqual(readFromPage({ type: 'openFile', path: 'a/b.md' }), { type: 'openFile', path: 'a/b.md' });
  });

  it('are rejected if they do not match the contract', () => {
    const wrong = [
      null,
      'ready',
      [],
      {},
      { type: 'run' },
      { type: 'send', text: 'a', when: 'soon' },
      { type: 'action', id: '' },
      { type: 'openFile', path: 'x'.repeat(5001) },
      { type: 'draft', text: 5 },
    ];
    deepStrictEqual(
      wrong.filter((each) => readFromPage(each) !== undefined),
      [],
    );
    fc.assert(fc.property(fc.anything(), (value) => readFromPage(value) === undefined));
  });

  it('are tied to the job named in the state that the editor keeps', () => {
    strictEqual(readPageState({ jobKey: 'k', page: {} }), 'k');
    deepStrictEqual([undefined, null, {}, { jobKey: 5 }, 'k'].map(readPageState), Array(5).fill(undefined));
  });
});
