import { strictEqual } from 'node:assert/strict';
import { risingEdge } from '../../../src/base/async';

describe('a rising edge', () => {
  it('is told once each time, however often the same is told', () => {
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
