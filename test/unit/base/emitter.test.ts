import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/disposable';

describe('Emitter', () => {
  it('tells each listener in the order in which they came', () => {
    const heard: string[] = [];
    const emitter = new Emitter<number>(assert.ifError);
    emitter.event((value) => heard.push(`a${value}`));
    emitter.event((value) => heard.push(`b${value}`));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(heard, ['a1', 'b1', 'a2', 'b2']);
  });

  it('stops at no listener that throws, and reports each', () => {
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

  it('counts a function that listens twice as two, each with an end of its own', () => {
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

  it('bears listeners that come and go while it tells', () => {
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
