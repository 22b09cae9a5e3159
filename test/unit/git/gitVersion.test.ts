import assert from 'node:assert/strict';
import { getVersionProblem } from '../../../src/git/git';

describe('getVersionProblem', () => {
  for (const printed of [
    '2.38.0',
    '2.38',
    '2.39.5 (Apple Git-154)',
    '2.47.1.windows.1',
    '3.0.0',
    '10.1',
    'of my own',
    '',
  ]) {
    it(`accepts “${printed}”`, () => assert.equal(getVersionProblem(`git version ${printed}\n`), undefined));
  }

  for (const printed of ['2.37.8', '2.9.5', '1.99.0', '2.37.0.windows.1']) {
    it(`rejects “${printed}” and explains why`, () => {
      const why = getVersionProblem(`git version ${printed}\n`);
      assert.ok(why?.startsWith(`Your git is too old: it is ${printed}, and 2.38 is the least.`));
    });
  }
});
