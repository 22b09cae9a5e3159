import { strictEqual } from 'node:assert/strict';
import { risingEdge } from '../../../src/base/async';

describe('risingEdge', () => {
  it('fires once per change to true, however often a value is repeated', () => {
    let times = 0;
    const tell = risingEdge(true, () => (times += 1));
    tell(true);
    strictEqual(times, 0);
    tell(false);
    tell(true);
    tell(true);
    strictEqual(times, 1);
    tell(false);
    tell(false);
    tell(true);
    strictEqual(times, 2);
  });
});
