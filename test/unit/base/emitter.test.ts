import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/disposable';

describe('Emitter', () => {
  it('calls the listeners in the order in which they were added', () => {
    const heard: string[] = [];
    const emitter = new Emitter<number>(assert.ifError);
    emitter.event((value) => heard.push(`a${value}`));
    emitter.event((value) => heard.push(`b${value}`));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(heard, ['a1', 'b1', 'a2', 'b2']);
  });

  it('continues after a listener throws and reports every error', () => {
    const [errors, heard]: [unknown[], number[]] = [[], []];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const fault = new Error('mine');
    emitter.event(() => {
      throw fault;
    });
    emitter.event((value) => heard.push(value));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(
      [errors, heard],
      [
        [fault, fault],
        [1, 2],
      ],
    );
  });

  it('treats a function that is added twice as two separate listeners', () => {
    let heard = 0;
    const emitter = new Emitter<undefined>(assert.ifError);
    const listener = (): void => {
      heard++;
    };
    const first = emitter.event(listener);
    emitter.event(listener);
    emitter.fire(undefined);
    first.dispose();
    first.dispose();
    emitter.fire(undefined);
    assert.equal(heard, 3);
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
