import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import {
  addressShape,
  reader,
  readJobName,
  readJobNames,
  readSend,
} from '../../../src/extension/platform/commandArguments';

describe('arguments of commands', () => {
  /** What the editor’s menus pass: the URI of a file, rows of a tree, or nothing. */
  const uri = { scheme: 'file', authority: '', path: '/a.md', query: '', fragment: '', fsPath: '/a.md' };
  const row = { jobKey: 'k1', label: 'Fix', collapsibleState: 0, command: { command: 'x' } };

  it('name a job by an id, an object with an id, or a row of the tree', () => {
    strictEqual(readJobName('j1'), 'j1');
    strictEqual(readJobName({ jobId: 'j1', prompt: 'x' }), 'j1');
    strictEqual(readJobName(row), 'k1');
    strictEqual(readJobName(Object.assign(Object.create({ toString: () => '' }) as object, row)), 'k1');
    deepStrictEqual(readJobNames([row, 'j1', uri]), ['k1', 'j1']);
    deepStrictEqual(readSend({ jobKey: 'k', promptId: 's', label: 'x' }), { jobKey: 'k', promptId: 's' });
  });

  it('count as none in any other shape', () => {
    const odd = { length: { toString: 1, valueOf: 1 } };
    const foreign = [undefined, null, 7, true, [], [row], ['id'], () => 'id', Symbol('id'), '', {}, uri];
    for (const argument of [...foreign, { jobId: '' }, { jobId: 7 }, { jobId: odd }, { jobKey: null }, { id: 'j1' }]) {
      strictEqual(readJobName(argument), undefined, typeof argument);
      strictEqual(readSend(argument), undefined, typeof argument);
    }
  });

  it('are read without ever throwing', () => {
    const readers = [readJobName, readSend, reader(addressShape)];
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (argument) => {
        readers.forEach((read) => void read(argument));
      }),
    );
  });
});
