import assert from 'node:assert/strict';
import { Exchange } from '../../../src/client/exchange';

const TIMEOUTS = { headersMs: 5_000, bodyMs: 5_000, totalMs: 10_000 };

describe('a response body that arrives byte by byte', () => {
  it('is read without keeping the chunks, each of which takes hundreds of bytes', async () => {
    const exchange = new Exchange(TIMEOUTS, undefined);
    const controller = { abort: () => undefined } as never;
    const text = '\uFEFF{"id": "grüße"}'.repeat(100);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    const chunk = Buffer.alloc(1);
    for (const byte of Buffer.from(text)) {
      chunk[0] = byte;
      exchange.onResponseData(controller, chunk);
    }
    exchange.onResponseEnd();
    assert.equal((await exchange.answer).body, text.slice(1));
  });
});
