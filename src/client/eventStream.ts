import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { createYielder } from '../base/async';
import { MAX_EVENT, MAX_SILENCE_MS } from '../base/limits';
import { ServiceError } from '../protocol/errors';
import { toServiceError } from './answer';
import { type HttpRequest, isEncoded, type Transport } from './transport';

/** How much is read before other work may get its turn, in bytes. */
const READ_AT_ONCE = 16_384;

/**
 * Reads server-sent events (HTML standard, 9.2) until the service ends the stream. Yields those that arrived together;
 * an empty list is a sign of life. Throws {@link ServiceError}.
 */
export async function* readEvents(
  transport: Transport,
  request: HttpRequest,
  silenceMs = MAX_SILENCE_MS,
): AsyncGenerator<EventSourceMessage[]> {
  const { status, headers, body } = await transport.open(request, silenceMs);
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '') && !isEncoded(headers);
  if (status > 299 || !isStream) {
    await body.cancel();
    throw status > 299
      ? toServiceError({ status, headers, body: '' }, Date.now())
      : new ServiceError('notUnderstood', { effect: 'unknown', status, code: 'NO_EVENTS' });
  }
  let events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') {
        throw new ServiceError('notUnderstood', { effect: 'unknown', status, code: 'TOO_LARGE' });
      }
    },
    maxBufferSize: MAX_EVENT,
  });
  const decoder = new TextDecoder();
  const pause = createYielder();
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += READ_AT_ONCE) {
      parser.feed(decoder.decode(chunk.subarray(at, at + READ_AT_ONCE), { stream: true }));
      yield events;
      events = [];
      await pause();
    }
  }
}
