import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LOCAL_ID } from '../../../src/protocol/localService';
import { possibleProjectIds, projectIdOf } from '../../../src/protocol/projectId';

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
