import { type Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { SupervisedAgent } from './agentProcess';
import { boundMessages } from './boundMessages';

/**
 * Exposes an agent's standard streams as messages of the protocol. Session updates are intercepted and passed to
 * `onUpdate` in order, ahead of the response that follows them. The library would validate each against the kinds that
 * it knows, and would log unknown kinds, and responses to requests that were never sent, to the service's standard
 * error.
 *
 * @param maxMessageBytes a longer message breaks the stream with MessageTooLargeError
 * @param onReduced called for a message that takes too long to parse, of which only an outline is passed on
 */
export function agentMessages(
  agent: SupervisedAgent,
  maxMessageBytes: number,
  onUpdate: (params: unknown) => void,
  onReduced: () => void,
): Stream {
  const { stdin, stdout } = agent;
  if (stdin === null || stdout === null) {
    throw new Error('The agent’s supervisor was started without pipes.');
  }
  const input = ReadableStream.from<Uint8Array>(boundMessages(inPieces(stdout), maxMessageBytes, onReduced));
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  const lines = ndJsonStream(output, input, { maxMessageBytes });
  const asked = new Set<unknown>();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if (!('method' in message)) {
        if (asked.delete(message.id)) {
          controller.enqueue(message);
        }
      } else if (message.method === 'session/update') {
        onUpdate(message.params);
      } else {
        controller.enqueue(message);
      }
    },
  });
  const writer = lines.writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    write: (message) => {
      if ('method' in message && 'id' in message) {
        asked.add(message.id);
      }
      return writer.write(message);
    },
  });
  return { readable: lines.readable.pipeThrough(incoming), writable: outgoing };
}

/** How much of an agent's output is handled in one turn, in bytes: up to a thousand messages. */
const PIECE = 4_096;

/** The library handles all messages of a chunk in one turn, even tens of thousands that mean nothing. */
async function* inPieces(output: Readable): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of output as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += PIECE) {
      yield chunk.subarray(at, at + PIECE);
      await setImmediate();
    }
  }
}
