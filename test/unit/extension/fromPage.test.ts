import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { readFromPage, readPageState } from '../../../src/extension/features/job-page/fromPage';

describe('what the page of a job may tell', () => {
  it('is what its contract names, without anything beside it', () => {
    deepStrictEqual(readFromPage({ type: 'ready' }), { type: 'ready' });
    deepStrictEqual(readFromPage({ type: 'draft', text: '', more: 1 }), { type: 'draft', text: '' });
    deepStrictEqual(readFromPage({ type: 'send', text: 'a' }), { type: 'send', text: 'a' });
    const later = { type: 'send', text: 'a', when: 'ended' };
    deepStrictEqual(readFromPage(later), later);
    deepStrictEqual(readFromPage({ type: 'action', id: 'x' }), { type: 'action', id: 'x' });
    deepStrictEqual(readFromPage({ type: 'openFile', path: 'a/b.md' }), { type: 'openFile', path: 'a/b.md' });
  });

  it('is nothing else', () => {
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

  it('names its job in what the editor keeps of it', () => {
    strictEqual(readPageState({ jobKey: 'k', page: {} }), 'k');
    deepStrictEqual([undefined, null, {}, { jobKey: 5 }, 'k'].map(readPageState), Array(5).fill(undefined));
  });
});
