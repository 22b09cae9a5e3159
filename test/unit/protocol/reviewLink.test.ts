import assert from 'node:assert/strict';
import { isReviewLink, reviewPath } from '../../../src/protocol/localKey';

const ID = '0123456789abcdef';
const BARE = `http://127.0.0.1:4100/review/${ID}`;

const OTHERS = [
  'https://github.com/acme/docs/pull/12',
  'http://127.0.0.1:3000/review/pulls/12',
  `http://127.0.0.1:4100/owner/repo/pulls/${ID}`,
  `https://127.0.0.1:4100/review/${ID}`,
  `http://127.0.0.1.evil.example:4100/review/${ID}`,
  `http://evil.example/review/${ID}`,
  `${BARE}?next=https://evil.example`,
  `${BARE}/state`,
  // Matches the pattern but is not a valid URL, because the port is too high.
  `http://127.0.0.1:99999/review/another`,
  '',
];

describe('review page address', () => {
  it('is recognized', () => {
    assert.equal(isReviewLink(BARE, ID), true);
    assert.equal(isReviewLink(BARE, 'another'), false);
    assert.deepEqual(
      OTHERS.filter((link) => isReviewLink(link, ID)),
      [],
    );
    assert.equal(new URL(reviewPath(ID), BARE).href, BARE);
  });
});
