import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { agentMessages } from '../../../../src/local-service/agents/agentMessages';
import type { SupervisedAgent } from '../../../../src/local-service/agents/agentProcess';

describe('messages of an agent', () => {
  const agentWith = (output: string) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    stdin.resume();
    stdout.end(output);
    return { stdin, stdout } as unknown as SupervisedAgent;
  };

  const ignored = (): void => undefined;

  it('are handled over several turns of the event loop, however many arrive at once', async () => {
    const text = '{"method":"a"}\n';
    const { readable } = agentMessages(agentWith(text.repeat(4_000)), 1_000_000, ignored, ignored);
    let [turn, isOver] = [0, false];
    const count = (): void => {
      turn += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    count();
    const turns: number[] = [];
    for await (const message of readable) {
      turns.push('method' in message ? turn : -1);
    }
    isOver = true;
    const counts = [...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length);
    assert.equal(
      counts.reduce((sum, each) => sum + each, 0),
      4_000,
    );
    assert.ok(Math.max(...counts) < 1_000, String(counts));
  });

  it('may be longer than a chunk, and split anywhere', async () => {
    const message = { method: 'a', params: { text: 'ä'.repeat(50_000) } };
    const { readable } = agentMessages(agentWith(`${JSON.stringify(message)}\n`), 1_000_000, ignored, ignored);
    const arrived: unknown[] = [];
    for await (const each of readable) {
      arrived.push(each);
    }
    assert.deepEqual(arrived, [message]);
  });

  describe('that are large', () => {
    const MEGABYTE = 1024 * 1024;
    const read = async (output: string) => {
      let reduced = 0;
      const { readable } = agentMessages(agentWith(output), 64 * MEGABYTE, ignored, () => (reduced += 1));
      const arrived: unknown[] = [];
      for await (const each of readable) {
        arrived.push(each);
      }
      return { arrived, reduced };
    };
    const many = { list: Array.from({ length: 100_000 }, () => ({})) };

    it('arrive unchanged if they are mostly text', async () => {
      const text = `${'A'.repeat(5 * MEGABYTE)}${'"[{,\\'.repeat(100_000)}`;
      const message = { jsonrpc: '2.0', id: 1, method: 'a', params: { text, list: [1, { a: [2] }] } };
      assert.deepEqual(await read(`${JSON.stringify(message)}\n`), { arrived: [message], reduced: 0 });
    });

    const outline = { jsonrpc: '2.0', id: 1, method: 'a', params: {} };
    const large = { 'of many parts': many, 'of many bytes': { text: 'A'.repeat(9 * MEGABYTE) } };
    for (const [what, params] of Object.entries(large)) {
      it(`keep what is needed to answer them and lose the rest: ${what}`, async () => {
        const message = { ...outline, params };
        const reordered = { params, method: 'a', id: 1, jsonrpc: '2.0' };
        const next = { method: 'b' };
        const lines = [message, reordered, next].map((each) => `${JSON.stringify(each)}\n`);
        assert.deepEqual(await read(lines.join('')), { arrived: [outline, outline, next], reduced: 2 });
      });
    }

    it('are skipped if they are not valid messages', async () => {
      const garbage = ['x'.repeat(9 * MEGABYTE), '[],'.repeat(100_000), '['.repeat(100_000), '}'.repeat(9 * MEGABYTE)];
      const output = [...garbage, '{"method":"b"}'].join('\n');
      assert.deepEqual(await read(output), { arrived: [{ method: 'b' }], reduced: 4 });
    });
  });
});
