import { type ActivityEvent, activityEventSchema } from '../../src/protocol/activity';

/** A minimal reader of server-sent events, as the standard defines them. */
export interface EventReader {
  status: number;
  /** The events received so far. */
  events: ActivityEvent[];
  comments: number;
  /** Resolves when the service has ended the stream. */
  ended: Promise<void>;
  /** Closes the connection. */
  close(): void;
}

/**
 * Opens the stream and resolves when the head of the answer has arrived.
 *
 * @param onEvent called for each event
 */
export async function readEvents(
  url: string,
  key: string,
  lastEventId?: number,
  onEvent: (event: ActivityEvent) => void = () => undefined,
): Promise<EventReader> {
  const gone = new AbortController();
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (lastEventId !== undefined) {
    headers['last-event-id'] = String(lastEventId);
  }
  const answer = await fetch(url, { headers, signal: gone.signal });
  const reader: EventReader = {
    status: answer.status,
    events: [],
    comments: 0,
    ended: Promise.resolve(),
    close: () => gone.abort(),
  };
  reader.ended = read(answer.body, reader, onEvent).catch(() => undefined);
  return reader;
}

async function read(
  body: ReadableStream<Uint8Array> | null,
  reader: EventReader,
  onEvent: (event: ActivityEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) {
        reader.comments += 1;
      } else {
        const event = activityEventSchema.parse(JSON.parse(data));
        if (!block.startsWith(`id: ${event.id}\n`)) {
          throw new Error(`an event under another id: ${block}`);
        }
        reader.events.push(event);
        onEvent(event);
      }
    }
  }
}
