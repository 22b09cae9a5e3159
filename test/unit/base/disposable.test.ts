import assert from 'node:assert/strict';
import { DisposableStore } from '../../../src/base/disposable';

describe('DisposableStore', () => {
  const gone: string[] = [];
  const item = (name: string): { dispose(): void } => ({ dispose: () => void gone.push(name) });

  beforeEach(() => gone.splice(0));

  it('disposes in reverse order and only once', () => {
    const store = new DisposableStore();
    const first = item('first');
    assert.equal(store.add(first), first);
    store.add(item('second'));
    store.dispose();
    store.dispose();
    assert.deepEqual(gone, ['second', 'first']);
  });

  it('immediately disposes an item that is added during or after disposal', () => {
    const store = new DisposableStore();
    store.add({ dispose: () => store.add(item('during')) });
    store.dispose();
    store.add(item('after'));
    assert.deepEqual(gone, ['during', 'after']);
  });

  it('disposes all items even if one of them throws, and rethrows the error', () => {
    const store = new DisposableStore();
    store.add(item('first'));
    store.add({
      dispose: () => {
        throw new Error('mine');
      },
    });
    store.add(item('third'));
    assert.throws(() => store.dispose(), /mine/);
    assert.deepEqual(gone, ['third', 'first']);
  });
});
