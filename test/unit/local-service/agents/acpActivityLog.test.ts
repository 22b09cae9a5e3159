import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AcpActivityLog } from '../../../../src/local-service/agents/acpActivityLog';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';
import { type ActivityEntry, activityEntrySchema } from '../../../../src/protocol/activity';
import type { Usage } from '../../../../src/protocol/usage';
import { scaled, seed } from '../../../support/scale';

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
