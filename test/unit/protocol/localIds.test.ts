import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LOCAL_ID } from '../../../src/protocol/localService';
import { isReviewLink, possibleProjectIds, projectIdOf, reviewPath } from '../../../src/protocol/localIds';

describe('projectIdOf', () => {
  it('contains the folder name and is unique for folders of the same name', () => {
    assert.match(projectIdOf('/home/robin/My Docs'), /^my-docs-[0-9a-f]{10}$/);
    assert.notEqual(projectIdOf('/a/docs'), projectIdOf('/b/docs'));
    assert.equal(projectIdOf('/a/docs'), projectIdOf('/a/docs'));
  });

  it('is among the possible ids of each folder in the repository', () => {
    assert.ok(possibleProjectIds('/home/robin/docs').includes(projectIdOf('/home/robin/docs')));
    assert.ok(possibleProjectIds('/home/robin/docs/guide/setup').includes(projectIdOf('/home/robin/docs')));
    assert.ok(!possibleProjectIds('/home/robin').includes(projectIdOf('/home/robin/docs')));
  });

  it('returns a valid id for any folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        assert.match(projectIdOf(`/home/${name}`), LOCAL_ID);
      }),
    );
  });
});

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
