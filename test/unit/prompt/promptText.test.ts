import assert from 'node:assert/strict';
import fc from 'fast-check';
import { promptText } from '../../../src/prompt/promptText';
import { promptBody, promptBodyBytes } from '../../../src/shared/protocol/promptBody';

describe('the prompt of a document', () => {
  it('is the same whatever ends its lines', () => {
    fc.assert(
      fc.property(fc.array(fc.string().map((line) => line.replaceAll(/[\r\n]/g, ''))), (lines) => {
        const prompt = promptText(lines.join('\n'));
        assert.equal(promptText(lines.join('\r\n')), prompt);
        assert.equal(promptText(`\r\n${prompt}\n\n`), prompt);
        assert.equal(prompt, lines.join('\n').trim());
      }),
    );
  });

  it('goes out as JSON that says the same, of as many bytes as are told', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        const bytes = Buffer.from(promptBody(prompt));
        assert.deepEqual(JSON.parse(bytes.toString('utf8')), { prompt });
        assert.equal(promptBodyBytes(prompt), bytes.length);
      }),
    );
    assert.equal(promptBody('a\u2028"\ud800'), '{"prompt":"a\u2028\\"\\ud800"}');
  });
});
