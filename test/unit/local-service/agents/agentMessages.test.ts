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

  it('are handled in turns, however many arrive at once', async () => {
    const text = '{"method":"a"}\n';
    const { readable } = agentMessages(agentWith(text.repeat(4_000)), 1_000_000, () => undefined);
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

  it('may be longer than a piece, and split anywhere', async () => {
    const message = { method: 'a', params: { text: 'ä'.repeat(50_000) } };
    const { readable } = agentMessages(agentWith(`${JSON.stringify(message)}\n`), 1_000_000, () => undefined);
    const arrived: unknown[] = [];
    for await (const each of readable) {
      arrived.push(each);
    }
    assert.deepEqual(arrived, [message]);
  });
});
