import { strictEqual } from 'node:assert/strict';
import { mock } from 'node:test';
import { AgeTimer } from '../../../../src/extension/features/jobs-view/treeRefresh';

describe('AgeTimer', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('refreshes ages once a minute while they are visible, and not while they are hidden', () => {
    let drawn = 0;
    const ages = new AgeTimer(() => drawn++);
    ages.run(true);
    ages.run(true);
    mock.timers.tick(3 * 60_000);
    strictEqual(drawn, 3);
    ages.run(false);
    mock.timers.tick(60 * 60_000);
    strictEqual(drawn, 3);
    ages.run(true);
    mock.timers.tick(60_000);
    strictEqual(drawn, 4);
    ages.dispose();
    mock.timers.tick(60 * 60_000);
    strictEqual(drawn, 4);
  });
});
