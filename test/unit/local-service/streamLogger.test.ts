import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Redactor } from '../../../src/base/redact';
import { streamLogger } from '../../../src/local-service/streamLogger';

describe('the log of a service', () => {
  const logged = (write: (log: ReturnType<typeof streamLogger>) => void): string => {
    const stream = new PassThrough();
    const redactor = new Redactor();
    redactor.add('a very\nsecret key');
    write(streamLogger(stream, redactor));
    return String(stream.read()).replace(/^\S+ /, '');
  };

  it('shows control characters instead of sending them to the terminal', () => {
    const text = 'a \u001b[2J\u001b]0;title\u0007 b\tc\rd\u009b1A\u007f\u2028e';
    assert.equal(
      logged((log) => log.info(text)),
      'info a \\u001b[2J\\u001b]0;title\\u0007 b\tc\\u000dd\\u009b1A\\u007f\\u2028e\n',
    );
  });

  it('indents all lines of a message but the first, so that none looks like a message of its own', () => {
    const error = new Error();
    error.stack = 'Error: said\n2026-01-01T00:00:00.000Z info done\r\n    at run';
    assert.equal(
      logged((log) => log.error('couldn’t work', error)),
      'error couldn’t work: Error: said\n  2026-01-01T00:00:00.000Z info done\n      at run\n',
    );
  });

  it('redacts before it changes anything', () => {
    assert.equal(
      logged((log) => log.warn('wrong: a very\nsecret key')),
      'warning wrong: [secret]\n',
    );
  });
});
