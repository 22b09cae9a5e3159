import assert from 'node:assert/strict';
import { RemoteReferences } from '../../../../src/local-service/git/pushBranch';

describe('RemoteReferences', () => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  const line = (commit: string, name: string): string => `${commit}\t${name}\n`;

  it('finds the names of a commit', () => {
    const lines = [line(one, 'HEAD'), line(two, 'refs/heads/a'), line(one, 'refs/heads/b'), line(one, 'refs/heads/c')];
    const references = new RemoteReferences(lines.join(''));
    assert.deepEqual(references.namesOf(one), ['HEAD', 'refs/heads/b', 'refs/heads/c']);
    assert.deepEqual(references.namesOf('3'.repeat(40)), []);
    assert.equal(references.head, one);
    assert.equal(new RemoteReferences(lines.slice(1).join('')).head, undefined);
    assert.deepEqual([references.has('refs/heads/a'), references.has('refs/heads/')], [true, false]);
  });

  it('reads only some of very many', () => {
    assert.equal(new RemoteReferences(line(one, 'refs/pull/1/head').repeat(50_000)).namesOf(one).length, 10_000);
  });
});
