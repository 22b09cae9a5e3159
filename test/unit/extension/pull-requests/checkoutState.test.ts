import { strictEqual } from 'node:assert/strict';
import { checkoutState } from '../../../../src/extension/features/pull-requests/checkoutState';
import type { CheckoutRecord } from '../../../../src/jobs/store/checkoutRecords';

const there: CheckoutRecord = { root: '/r', ref: 'docs-agent/x', before: 'main', step: 'there' };
const switching: CheckoutRecord = { ...there, step: 'switching' };

describe('later state of a checked-out job branch', () => {
  for (const [what, record, head, stash, state] of [
    ['the branch is checked out', there, 'docs-agent/x', 'gone', 'onBranch'],
    ['the branch is checked out, and the window ended before it knew', switching, 'docs-agent/x', 'newest', 'onBranch'],
    ['the user has left it, and nothing was stashed', there, 'main', 'gone', 'over'],
    ['the user has left it by hand, and the stash is still there', there, 'main', 'newest', 'stashLeft'],
    ['the same, below another stash', there, 'other', 'older', 'stashLeft'],
    ['it was cut before anything was stashed', { ...there, step: 'stashing' }, 'main', 'gone', 'over'],
    ['it was cut between stash and switch', switching, 'main', 'newest', 'cut'],
    ['it was cut while it stashed', { ...there, step: 'stashing' }, 'main', 'newest', 'cut'],
  ] as const) {
    it(`is “${state}” when ${what}`, () => strictEqual(checkoutState(record, { head, stash }), state));
  }
});
