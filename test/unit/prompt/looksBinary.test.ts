import assert from 'node:assert/strict';
import { looksBinary, looksGarbled } from '../../../src/prompt/promptText';

const bytes = (text: string, encoding: BufferEncoding): Uint8Array => Buffer.from(text, encoding);

describe('what is binary', () => {
  it('has a NUL near its beginning, and no mark of a text of two bytes a character', () => {
    assert.equal(looksBinary(bytes('plain', 'utf8')), false);
    assert.equal(looksBinary(bytes('\x89PNG\r\n\x1a\n\0\0', 'latin1')), true);
    assert.equal(looksBinary(bytes('\uFEFFtext', 'utf16le')), false);
    assert.equal(looksBinary(bytes(`${'x'.repeat(9_000)}\0`, 'utf8')), false);
    assert.equal(looksBinary(new Uint8Array()), false);
  });

  it('or bytes that are no characters', () => {
    assert.equal(looksGarbled('plain\ttext\r\n'), false);
    assert.equal(looksGarbled('Caf\uFFFD, and a long enough text around the one that is strange'), false);
    assert.equal(looksGarbled('\x1f\uFFFD\b\x03\uFFFDz\uFFFD'), true);
    assert.equal(looksGarbled(''), false);
  });
});
