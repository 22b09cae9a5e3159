import { Readable, Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { SupervisedAgent } from './agentProcess';

/**
 * Exposes an agent's standard streams as messages of the protocol. Session updates are intercepted and passed to
 * `onUpdate` in order, ahead of the response that follows them. The library would validate each against the kinds that
 * it knows, and would log unknown kinds, and responses to requests that were never sent, to the service's standard
 * error.
 *
 * @param maxMessageBytes a longer message breaks the stream with MessageTooLargeError
 */
export function agentMessages(
  agent: SupervisedAgent,
  maxMessageBytes: number,
  onUpdate: (params: unknown) => void,
): Stream {
  const { stdin, stdout } = agent;
  if (stdin === null || stdout === null) {
    throw new Error('The agent’s supervisor was started without pipes.');
  }
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
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
