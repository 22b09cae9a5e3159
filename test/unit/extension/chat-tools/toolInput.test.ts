import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { readToolInput } from '../../../../src/extension/features/chat-tools/toolInput';
import { type ToolName, TOOLS } from '../../../../src/extension/ids';

interface Manifest {
  contributes: {
    languageModelTools: { name: ToolName; toolReferenceName: string; modelDescription: string; inputSchema: object }[];
  };
}

const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as Manifest;
const tools = manifest.contributes.languageModelTools;

const value = fc.oneof(
  fc.constantFrom('', ' \n', 'job1', 'active', 'nonsense', 0, 1, 50, 51, 1.5, null, true),
  fc.string(),
);
const input = fc.oneof(
  fc.constantFrom(null, 'text', 7, []),
  fc.dictionary(fc.constantFrom('prompt', 'job', 'status', 'limit', 'project', 'extra'), value, {
    noNullPrototype: true,
  }),
);

function accepts(tool: ToolName, given: unknown): boolean {
  try {
    readToolInput(tool, given);
    return true;
  } catch {
    return false;
  }
}

describe('tool input from chat agents', () => {
  it('has a schema for each tool in the manifest and a unique name in chats', () => {
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), Object.values(TOOLS).toSorted());
    assert.equal(new Set(tools.map(({ toolReferenceName }) => toolReferenceName)).size, tools.length);
    for (const { modelDescription } of tools) {
      assert.match(modelDescription, /^[^%].*Returns/s);
    }
  });

  for (const { name, inputSchema } of tools) {
    it(`is accepted by ${name} exactly when the schema in the manifest accepts it`, () => {
      const validate = new Ajv({ strict: true }).compile(inputSchema);
      fc.assert(
        fc.property(input, (given) => assert.equal(accepts(name, given), validate(given), JSON.stringify(given))),
        { numRuns: 1000 },
      );
    });
  }

  it('is rejected with a message that a model can act on', () => {
    assert.throws(
      () => readToolInput(TOOLS.sendFollowUp, { job: 'j1', prompt: ' ' }),
      /nothing was done\. Check: prompt\./,
    );
    assert.throws(
      () => readToolInput(TOOLS.createJob, { prompt: 'x', project: 'p' }),
      /only the fields that its schema/,
    );
  });
});
