import assert from 'node:assert/strict';
import { DisposableStore, Emitter } from '../../../src/base/disposable';

describe('DisposableStore', () => {
  it('disposes once, in reverse order, despite one that throws, and at once what is added later', () => {
    const gone: string[] = [];
    const item = (name: string): { dispose(): void } => ({ dispose: () => void gone.push(name) });
    const store = new DisposableStore();
    store.add(item('first'));
    store.add({ dispose: () => store.add(item('during')) });
    store.add({
      dispose: () => {
        throw new Error('mine');
      },
    });
    store.add(item('last'));
    assert.throws(() => store.dispose(), /mine/);
    store.dispose();
    store.add(item('after'));
    assert.deepEqual(gone, ['last', 'during', 'first', 'after']);
  });
});

describe('Emitter', () => {
  it('calls all listeners in order, despite one that throws, and reports every error', () => {
    const [errors, heard]: [unknown[], string[]] = [[], []];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const fault = new Error('mine');
    emitter.event((value) => heard.push(`a${value}`));
    emitter.event(() => {
      throw fault;
    });
    emitter.event((value) => heard.push(`b${value}`));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(
      [errors, heard],
      [
        [fault, fault],
        ['a1', 'b1', 'a2', 'b2'],
      ],
    );
  });

  it('allows listeners to be added and removed while it fires', () => {
    const heard: string[] = [];
    const emitter = new Emitter<undefined>(assert.ifError);
    const once = emitter.event(() => {
      once.dispose();
      heard.push('once');
      emitter.event(() => heard.push('late'));
    });
    emitter.event(() => heard.push('always'));
    emitter.fire(undefined);
    assert.deepEqual(heard, ['once', 'always']);
    emitter.fire(undefined);
    assert.deepEqual(heard, ['once', 'always', 'always', 'late']);
  });
});
