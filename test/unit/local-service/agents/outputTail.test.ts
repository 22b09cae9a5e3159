import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OutputTail } from '../../../../src/local-service/agents/outputTail';

const tailOf = (text: string) => {
  const tail = new OutputTail(1000);
  tail.add(Buffer.from(text));
  return tail;
};

describe('OutputTail', () => {
  it('keeps the last bytes for any chunk sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 40 }), (chunks) => {
        const tail = new OutputTail(16);
        chunks.forEach((chunk) => tail.add(Buffer.from(chunk)));
        assert.deepEqual(tail.bytes(), Buffer.concat(chunks).subarray(-16));
      }),
    );
  });

  it('finds the line that describes the error', () => {
    const crash =
      "node:internal/modules/cjs/loader:1372\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at Module._load (node:1:2)\n  code: 'E'\n}\n\nNode.js v20.20.2\n";
    assert.equal(tailOf(crash).problemLine(), "Error: Cannot find module 'x'");
    const python =
      'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no such thing\n';
    assert.equal(tailOf(python).problemLine(), 'ValueError: no such thing');
    assert.equal(tailOf('starting\ntold to die\n').problemLine(), 'told to die');
    assert.equal(tailOf('told to die\nNode.js v24.1.0\n').problemLine(), 'told to die');
    assert.equal(tailOf('').problemLine(), '');
    assert.equal(tailOf(`TypeError: ${'x'.repeat(900)}`).problemLine().length, 300);
  });

  it('finds the last line that is not blank, without colors', () => {
    assert.equal(tailOf('first\n\u001b[31mred\u001b[0m words\r\n  \n\u001b[0m\n').lastLine(), 'red words');
    assert.equal(tailOf('\u001b]0;title\u0007shown').lastLine(), 'shown');
    assert.equal(tailOf(' \n\n').lastLine(), '');
    assert.equal(tailOf('x'.repeat(900)).lastLine().length, 300);
  });
});
