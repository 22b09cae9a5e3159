import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  readContextKind,
  readCreate,
  readFiles,
  readFollowUp,
  readJobName,
  readProblems,
  readSelection,
  readSend,
  readTrack,
} from '../../../src/extension/platform/commandArguments';

/** What the editor’s menus pass: the URI of a file, rows of a tree, or nothing. */
const uri = { scheme: 'file', authority: '', path: '/a.md', query: '', fragment: '', fsPath: '/a.md' };
const row = { jobKey: 'k1', label: 'Fix', collapsibleState: 0, command: { command: 'x' } };
const foreign: unknown[] = [undefined, null, 7, true, [], [row], ['id'], () => 'id', Symbol('id')];

describe('command arguments', () => {
  describe('readJobName', () => {
    it('accepts an id, an object with an id, or a row of the tree', () => {
      assert.equal(readJobName('j1'), 'j1');
      assert.equal(readJobName({ jobId: 'j1', prompt: 'x' }), 'j1');
      assert.equal(readJobName(row), 'k1');
      assert.equal(readJobName(Object.assign(Object.create({ toString: () => '' }) as object, row)), 'k1');
    });

    it('treats anything else as no argument', () => {
      for (const argument of [...foreign, '', {}, uri, { jobId: '' }, { jobId: 7 }, { jobKey: null }, { id: 'j1' }]) {
        assert.equal(readJobName(argument), undefined, typeof argument);
      }
    });
  });

  it('are read by readCreate as prompt and project', () => {
    assert.deepEqual(readCreate({ prompt: 'x', project: 'p', other: 1 }), { prompt: 'x', project: 'p' });
    assert.deepEqual(readCreate({ prompt: '' }), { prompt: '' });
    for (const argument of [...foreign, 'text', { prompt: 7 }, { project: '' }]) {
      assert.equal(readCreate(argument), undefined);
    }
  });

  it('are read by readSelection as instruction, project and job', () => {
    const argument = { instruction: 'x', project: 'p', jobId: 'j' };
    assert.deepEqual(readSelection(argument), argument);
    for (const wrong of [...foreign, { jobId: '' }, { instruction: {} }]) {
      assert.equal(readSelection(wrong), undefined);
    }
  });

  it('are read by readFollowUp as job and prompt', () => {
    assert.deepEqual(readFollowUp({ jobId: 'j', prompt: 'x' }), { jobId: 'j', prompt: 'x' });
    assert.deepEqual(readFollowUp({ prompt: 'x', when: 'ended' }), { prompt: 'x', when: 'ended' });
    assert.equal(readFollowUp({ prompt: 'x', when: 'soon' }), undefined);
    for (const argument of [...foreign, 'j', { jobId: 1 }, { prompt: [] }]) {
      assert.equal(readFollowUp(argument), undefined);
    }
  });

  it('are required by readTrack and readSend', () => {
    assert.deepEqual(readTrack({ jobId: 'j' }), { jobId: 'j' });
    assert.deepEqual(readSend({ jobKey: 'k', promptId: 's', label: 'x' }), { jobKey: 'k', promptId: 's' });
    for (const argument of [...foreign, uri, row, {}]) {
      assert.equal(readTrack(argument), undefined);
      assert.equal(readSend(argument), undefined);
    }
  });

  it('are empty when the argument is the URI of a file', () => {
    for (const read of [readCreate, readSelection, readFollowUp]) {
      assert.deepEqual(read(uri), {});
    }
  });

  it('are read without ever throwing', () => {
    const readers = [readJobName, readCreate, readSelection, readFollowUp, readTrack, readSend];
    const odd = { length: { toString: 1, valueOf: 1 } };
    assert.equal(readJobName({ jobId: odd }), undefined);
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (argument) => {
        readers.forEach((read) => void read(argument));
      }),
    );
  });

  describe('of context commands', () => {
    const { fsPath, ...address } = uri;

    it('contain a kind', () => {
      assert.deepEqual(readContextKind({ kind: 'file' }), { kind: 'file' });
      [...foreign, {}, { kind: '' }].forEach((argument) => assert.equal(readContextKind(argument), undefined));
    });

    it('contain files by URI, one or several, or by path', () => {
      assert.ok(fsPath);
      assert.deepEqual(readFiles(uri), { uris: [address], paths: [] });
      assert.deepEqual(readFiles([uri, uri]), { uris: [address, address], paths: [] });
      assert.deepEqual(readFiles({ paths: ['a.md'] }), { uris: [], paths: ['a.md'] });
      for (const argument of [...foreign, 'a.md', {}, { paths: [] }, { paths: [''] }, { scheme: 'file' }, [uri, row]]) {
        assert.equal(readFiles(argument), undefined);
      }
    });

    it('contain the scope of the problems', () => {
      assert.deepEqual(readProblems({ scope: 'workspace' }), { scope: 'workspace' });
      assert.deepEqual(readProblems({ scope: 'file', uri }), { scope: 'file', uri: address });
      [...foreign, {}, { scope: 'all' }].forEach((argument) => assert.equal(readProblems(argument), undefined));
    });
  });
});
