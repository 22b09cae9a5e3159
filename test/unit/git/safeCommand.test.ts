import assert from 'node:assert/strict';
import { safeCommand } from '../../../src/git/safeCommand';

describe('safeCommand', () => {
  const readsAttributesOf = (place: { gitDir?: string; workTree?: string }) =>
    safeCommand({}, [], { folder: '/job', ...place }, ['diff']).args.find((arg) => arg.startsWith('attr.tree='));

  it('reads no attributes from commits, which Git 2.43 to 2.45 does if there is no work tree', () => {
    const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    assert.equal(readsAttributesOf({ gitDir: '/job/host.git' }), `attr.tree=${emptyTree}`);
    assert.equal(readsAttributesOf({ gitDir: '/job/.git', workTree: '/job/.git' }), `attr.tree=${emptyTree}`);
    assert.equal(readsAttributesOf({ gitDir: '/job/host.git', workTree: '/job/work' }), undefined);
    assert.equal(readsAttributesOf({}), undefined);
  });
});
