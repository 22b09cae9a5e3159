import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AcpActivityLog } from '../../../../src/local-service/agents/acpActivityLog';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';
import { type ActivityEntry, activityEntrySchema } from '../../../../src/protocol/activity';
import type { Usage } from '../../../../src/protocol/usage';
import { scaled, seed } from '../../../support/scale';
import { PassThrough } from 'node:stream';
import { agentMessages } from '../../../../src/local-service/agents/agentMessages';
import type { SupervisedAgent } from '../../../../src/local-service/agents/agentProcess';
import { OutputTail } from '../../../../src/local-service/agents/outputTail';

function told(...updates: unknown[]) {
  const entries: ActivityEntry[] = [];
  const usage: Usage[] = [];
  const activity = new AcpActivityLog('/job', new ToolCalls(), {
    onEntry: (entry) => entries.push(entry),
    onUsage: (reported) => usage.push(reported),
  });
  updates.forEach((update) => activity.apply(update));
  return { entries, usage, summary: activity.end() };
}

const piece = (text: string, messageId?: string) => {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId };
};

describe('AcpActivityLog', () => {
  it('joins the parts of a message until the next message or action', () => {
    const { entries, summary } = told(
      piece('One '),
      piece('message'),
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
      piece('two', 'a'),
      piece('three', 'b'),
      { sessionUpdate: 'usage_update', used: 1 },
      piece(' and', 'b'),
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'Step\n1', status: 'completed' },
          { content: '2', status: 'x' },
        ],
      },
    );
    assert.deepEqual(entries, [
      { kind: 'message', text: 'One message' },
      { kind: 'message', text: 'two' },
      { kind: 'message', text: 'three and' },
      {
        kind: 'plan',
        steps: [
          { text: 'Step 1', state: 'completed' },
          { text: '2', state: 'pending' },
        ],
      },
    ]);
    assert.equal(summary, 'three and');
  });

  it('passes on the tokens and the cost that the agent reports, if they are plausible', () => {
    const report = (fields: object) => told({ sessionUpdate: 'usage_update', size: 1, ...fields }).usage;
    const cost = { amount: 0.125, currency: 'USD' };
    assert.deepEqual(report({ used: 53_000, cost: { ...cost, _meta: {} } }), [{ tokens: 53_000, cost }]);
    assert.deepEqual(report({ used: 0, cost: null }), [{ tokens: 0 }]);
    for (const used of [undefined, null, '5', -1, 1.5, 1e300, Number.NaN, Infinity]) {
      assert.deepEqual(report({ used, cost }), [{ cost }]);
    }
    for (const bad of [
      'x',
      { amount: 1 },
      { ...cost, amount: -1 },
      { ...cost, amount: 1e300 },
      { ...cost, amount: Infinity },
      { ...cost, currency: 'credits' },
      { ...cost, currency: 'usd' },
    ]) {
      assert.deepEqual(report({ used: 1, cost: bad }), [{ tokens: 1 }]);
    }
  });

  it('reports a call once per change, with files relative to the folder', () => {
    const call = { toolCallId: 'c', title: 'Read', kind: 'read' };
    const places = [{ path: '/job/docs/a.md' }, { path: 'b.md' }, { path: '/etc/x' }, { path: '/job' }];
    const { entries } = told(
      { sessionUpdate: 'tool_call', ...call },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [] },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', locations: places },
    );
    const common = { kind: 'tool', call: 'c', title: 'Read', tool: 'read' };
    assert.deepEqual(entries, [
      { ...common, state: 'pending', files: [] },
      { ...common, state: 'completed', files: ['docs/a.md', 'b.md', '/etc/x', '.'] },
    ]);
  });

  it('calls a call without a title by its file, or by its kind', () => {
    // What Gemini CLI 0.61.0 sends for a call that it refuses itself.
    const failed = { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed', kind: 'read', content: [] };
    const titles = [failed, { ...failed, locations: [{ path: '/job/docs/a.md' }] }].map((update) =>
      told(update).entries.map((entry) => entry.kind === 'tool' && entry.title),
    );
    assert.deepEqual(titles, [['read'], ['docs/a.md']]);
  });

  it('bounds each text and the total number of entries', () => {
    const { entries, summary } = told(...Array.from({ length: 50 }, () => piece('x'.repeat(1_000))));
    const [message] = entries;
    assert.equal(message?.kind === 'message' && message.text.length, 16_000);
    assert.equal(summary.length, 2_000);
    const plan = { sessionUpdate: 'plan', entries: [] };
    const many = told(...Array.from({ length: 6_000 }, () => plan)).entries;
    assert.equal(many.length, 5_000);
    const text = 'Some activity isn’t shown.';
    assert.deepEqual(many.at(-1), { kind: 'note', text, coded: { code: 'moreThanTold' } });
  });

  it('produces only valid entries from any updates', () => {
    const known = fc.constantFrom('tool_call', 'tool_call_update', 'plan', 'agent_message_chunk', 'other');
    const update = fc.record(
      {
        sessionUpdate: known,
        toolCallId: fc.oneof(fc.string(), fc.anything()),
        title: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
        kind: fc.oneof(fc.string(), fc.anything()),
        status: fc.oneof(fc.constantFrom('completed', 'failed'), fc.anything()),
        locations: fc.oneof(fc.array(fc.record({ path: fc.string() })), fc.anything()),
        content: fc.oneof(fc.record({ type: fc.constant('text'), text: fc.string() }), fc.anything()),
        rawInput: fc.oneof(fc.dictionary(fc.string(), fc.anything()), fc.anything()),
        entries: fc.oneof(fc.array(fc.record({ content: fc.string(), status: fc.anything() })), fc.anything()),
      },
      { requiredKeys: ['sessionUpdate'] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(update, fc.anything()), { maxLength: 8 }), (updates) => {
        for (const entry of told(...updates).entries) {
          activityEntrySchema.parse(entry);
        }
      }),
      { seed, numRuns: scaled(500, 20_000) },
    );
  });
});

describe('messages of an agent', () => {
  const agentWith = (output: string) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    stdin.resume();
    stdout.end(output);
    return { stdin, stdout } as unknown as SupervisedAgent;
  };

  it('may be longer than a chunk, and split anywhere', async () => {
    const message = { method: 'a', params: { text: 'ä'.repeat(50_000) } };
    const { readable } = agentMessages(agentWith(`${JSON.stringify(message)}\n`), 1_000_000, () => undefined);
    const arrived: unknown[] = [];
    for await (const each of readable) {
      arrived.push(each);
    }
    assert.deepEqual(arrived, [message]);
  });
});

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
