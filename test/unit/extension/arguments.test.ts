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

/** What menus of the editor pass: an address of a file, rows of a tree, nothing. */
const uri = { scheme: 'file', authority: '', path: '/a.md', query: '', fragment: '', fsPath: '/a.md' };
const row = { jobKey: 'k1', label: 'Fix', collapsibleState: 0, command: { command: 'x' } };
const foreign: unknown[] = [undefined, null, 7, true, [], [row], ['id'], () => 'id', Symbol('id')];

describe('arguments of commands', () => {
  describe('readJobName', () => {
    it('takes an id, an object with an id, a row of the tree', () => {
      assert.equal(readJobName('j1'), 'j1');
      assert.equal(readJobName({ jobId: 'j1', prompt: 'x' }), 'j1');
      assert.equal(readJobName(row), 'k1');
      assert.equal(readJobName(Object.assign(Object.create({ toString: () => '' }) as object, row)), 'k1');
    });

    it('takes anything else for no argument', () => {
      for (const argument of [...foreign, '', {}, uri, { jobId: '' }, { jobId: 7 }, { jobKey: null }, { id: 'j1' }]) {
        assert.equal(readJobName(argument), undefined, typeof argument);
      }
    });
  });

  it('readCreate takes prompt and project', () => {
    assert.deepEqual(readCreate({ prompt: 'x', project: 'p', other: 1 }), { prompt: 'x', project: 'p' });
    assert.deepEqual(readCreate({ prompt: '' }), { prompt: '' });
    for (const argument of [...foreign, 'text', { prompt: 7 }, { project: '' }]) {
      assert.equal(readCreate(argument), undefined);
    }
  });

  it('readSelection takes instruction, project and job', () => {
    const argument = { instruction: 'x', project: 'p', jobId: 'j' };
    assert.deepEqual(readSelection(argument), argument);
    for (const wrong of [...foreign, { jobId: '' }, { instruction: {} }]) {
      assert.equal(readSelection(wrong), undefined);
    }
  });

  it('readFollowUp takes a job and a prompt', () => {
    assert.deepEqual(readFollowUp({ jobId: 'j', prompt: 'x' }), { jobId: 'j', prompt: 'x' });
    assert.deepEqual(readFollowUp({ prompt: 'x', when: 'ended' }), { prompt: 'x', when: 'ended' });
    assert.equal(readFollowUp({ prompt: 'x', when: 'soon' }), undefined);
    for (const argument of [...foreign, 'j', { jobId: 1 }, { prompt: [] }]) {
      assert.equal(readFollowUp(argument), undefined);
    }
  });

  it('readTrack and readSend demand what they name', () => {
    assert.deepEqual(readTrack({ jobId: 'j' }), { jobId: 'j' });
    assert.deepEqual(readSend({ jobKey: 'k', sendId: 's', label: 'x' }), { jobKey: 'k', sendId: 's' });
    for (const argument of [...foreign, uri, row, {}]) {
      assert.equal(readTrack(argument), undefined);
      assert.equal(readSend(argument), undefined);
    }
  });

  it('take from the address of a file nothing', () => {
    for (const read of [readCreate, readSelection, readFollowUp]) {
      assert.deepEqual(read(uri), {});
    }
  });

  it('never throw', () => {
    const readers = [readJobName, readCreate, readSelection, readFollowUp, readTrack, readSend];
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (argument) => {
        readers.forEach((read) => void read(argument));
      }),
    );
  });

  describe('those for context', () => {
    const { fsPath, ...address } = uri;

    it('name a kind', () => {
      assert.deepEqual(readContextKind({ kind: 'file' }), { kind: 'file' });
      [...foreign, {}, { kind: '' }].forEach((argument) => assert.equal(readContextKind(argument), undefined));
    });

    it('name files by address, one or several, or by path', () => {
      assert.ok(fsPath);
      assert.deepEqual(readFiles(uri), { uris: [address], paths: [] });
      assert.deepEqual(readFiles([uri, uri]), { uris: [address, address], paths: [] });
      assert.deepEqual(readFiles({ paths: ['a.md'] }), { uris: [], paths: ['a.md'] });
      for (const argument of [...foreign, 'a.md', {}, { paths: [] }, { paths: [''] }, { scheme: 'file' }, [uri, row]]) {
        assert.equal(readFiles(argument), undefined);
      }
    });

    it('say whose problems are meant', () => {
      assert.deepEqual(readProblems({ scope: 'workspace' }), { scope: 'workspace' });
      assert.deepEqual(readProblems({ scope: 'file', uri }), { scope: 'file', uri: address });
      [...foreign, {}, { scope: 'all' }].forEach((argument) => assert.equal(readProblems(argument), undefined));
    });
  });
});
