import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describeError, MAX_LOG_LINE, Redactor } from '../../../src/base/redact';

const REDACTED = '[secret]';

/** A key may contain any printable ASCII; parts of `[secret]` are excluded because `[secret]` can't hide them. */
const anyKey = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 6 })
  .filter((key) => !REDACTED.includes(key));

describe('Redactor', () => {
  it('redacts a secret in every form in which it may appear', () => {
    fc.assert(
      fc.property(anyKey, fc.string(), (key, around) => {
        const redactor = new Redactor();
        redactor.add(key);
        const forms = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)];
        const base64 = Buffer.from(key).toString('base64');
        for (const form of [...forms, base64, base64.replace(/=+$/, '')]) {
          const text = redactor.redact(`${around} ${form} `);
          assert.ok(!text.replaceAll(REDACTED, '').includes(form.replace(/=+$/, '')), text);
        }
      }),
    );
  });

  it('finds the positions of everything that it redacts', () => {
    fc.assert(
      fc.property(anyKey, fc.string(), fc.string(), (key, before, after) => {
        const redactor = new Redactor();
        redactor.add(key);
        const text = before + key + after;
        const places = redactor.find(text);
        assert.ok(places.some(({ start, end }) => start <= before.length && end >= before.length + key.length));
        assert.ok(places.every(({ start, end }) => redactor.redactSecrets(text.slice(start, end)) === REDACTED));
        assert.deepEqual(new Redactor().find(text), []);
      }),
    );
  });

  it('redacts a secret in base64 of a longer text, at any offset', () => {
    fc.assert(
      fc.property(anyKey, fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (key, before, after) => {
        const redactor = new Redactor();
        redactor.add(key);
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = redactor.redact(Buffer.from(before + key + after).toString(encoding));
          for (let cut = 0; cut < 4; cut++) {
            const seen = text.split(REDACTED).map((part, index) => (index === 0 ? part : 'A'.repeat(cut) + part));
            const decoded = seen.map((part) => Buffer.from(part, encoding).toString('latin1')).join('');
            assert.ok(!decoded.includes(key) || (before + after).includes(key), text);
          }
        }
      }),
    );
  });

  it('redacts the beginning of a secret at the end of truncated text', () => {
    const redactor = new Redactor();
    redactor.add('canary-0123456789');
    for (let length = 8; length <= 17; length++) {
      for (const mark of ['', '…']) {
        const cut = `so ${'canary-0123456789'.slice(0, length)}${mark}`;
        assert.equal(redactor.redactDeep(cut), `so ${REDACTED}${mark}`);
      }
    }
    assert.equal(redactor.redactDeep('so canary-'), 'so canary-');
  });

  it('redacts secrets in all strings of a value, including names, and nothing similar', () => {
    const redactor = new Redactor();
    redactor.add('canary-0123456789');
    const value = { a: ['x canary-0123456789', 1, null], 'canary-0123456789': { b: true }, ref: 'local_storage_docs' };
    assert.deepEqual(redactor.redactDeep(value), {
      a: [`x ${REDACTED}`, 1, null],
      [REDACTED]: { b: true },
      ref: 'local_storage_docs',
    });
  });

  it('redacts the whole of a secret that begins with another secret', () => {
    const redactor = new Redactor();
    redactor.add('abcdef');
    redactor.add('abcdef-and-the-rest');
    assert.equal(redactor.redact('it is abcdef-and-the-rest.'), `it is ${REDACTED}.`);
  });

  it('redacts anything that looks like a key, even if it was never registered', () => {
    const redactor = new Redactor();
    for (const key of ['mint_aB3dEf', 'mint_dsc_abcdef', `local_${'0f'.repeat(32)}`, `team_${'0f'.repeat(32)}`]) {
      for (const [before, after] of [
        ['', ''],
        ['key=', '&x'],
        ['"', '"'],
        ['%22', '%22'],
        ['\\n', '\\n'],
        ['https://h/', '/x'],
      ] as const) {
        const text = redactor.redact(before + key + after);
        assert.ok(!text.includes(key.slice(0, 11)), text);
      }
    }
    assert.equal(
      redactor.redact('authorization: Bearer some.other+key/= end'),
      `authorization: Bearer ${REDACTED} end`,
    );
  });

  it('redacts every token that follows “Bearer”', () => {
    const redactor = new Redactor();
    for (const [text, redacted] of [
      ['Bearer Bearer some.other+key', `Bearer Bearer ${REDACTED}`],
      ['mint_abcdef-Bearer some.other+key', `${REDACTED} ${REDACTED}`],
      ['Bearer \t\n some.other+key', `Bearer \t\n ${REDACTED}`],
      ['Bearer one, Bearer two', `Bearer ${REDACTED} Bearer ${REDACTED}`],
      ['"Bearer "', '"Bearer "'],
    ] as const) {
      assert.equal(redactor.redact(text), redacted);
    }
  });

  it('leaves no part of a secret at the cut when another secret has the same beginning', () => {
    const redactor = new Redactor();
    redactor.add('ghp_tQzaDsR7uWq9yB2kLm4nXc6v');
    redactor.add('s-canary-0123456789-canary-0123456789-canary');
    for (let kept = 2; kept <= 12; kept++) {
      const text = `${'.'.repeat(MAX_LOG_LINE - kept)}ghp_tQzaDsR7uWq9yB2kLm4nXc6v`;
      assert.doesNotMatch(redactor.redact(text), /gh/, String(kept));
    }
  });

  it('truncates text that is too long for a log and leaves no part of a secret at the cut', () => {
    const redactor = new Redactor();
    const secret = 'canary-0123456789';
    redactor.add(secret);
    const forms = [secret, Buffer.from(secret).toString('base64'), 'mint_aB3dEf', 'Bearer some.other+key'];
    for (const form of forms) {
      for (let at = MAX_LOG_LINE - form.length - 2; at <= MAX_LOG_LINE + 2; at++) {
        const text = redactor.redact(`${'.'.repeat(at)}${form}${'.'.repeat(1000)}`);
        assert.ok(text.length <= MAX_LOG_LINE + 100, String(text.length));
        const rest = text.replaceAll(REDACTED, '').replace(/[.=…]/g, '');
        assert.ok(
          ['Bearer ', 'mint_'].some((known) => known.startsWith(rest)),
          text.slice(-100),
        );
      }
    }
  });

  it('takes no more than linear time', function () {
    const redactor = new Redactor();
    redactor.add('canary-0123456789');
    const pieces = [
      ' ',
      '\t',
      '\n',
      '\r\n',
      '\u00a0',
      'Bearer',
      'Bearer ',
      ' Bearer',
      'Bearer\t"',
      'a ',
      '"',
      "'",
      '\\',
      '%',
    ];
    const keys = [
      'mint_',
      'local_',
      'team_',
      'team_0',
      'mint_a',
      'mint_a ',
      '_',
      '-',
      'canary-',
      'canary-012345678',
      'c',
      '[secret]',
      '…',
      '\ud83d',
    ];
    for (const piece of [...pieces, ...keys]) {
      for (const before of ['', 'Bearer', 'Bearer ', 'mint_']) {
        const text = before + piece.repeat(Math.ceil(250_000 / piece.length));
        const start = performance.now();
        redactor.redact(text);
        redactor.redactSecrets(text);
        redactor.redactDeep({ text });
        const took = performance.now() - start;
        assert.ok(took < 300, `${JSON.stringify(before + piece)}: ${took.toFixed()} ms`);
      }
    }
  });

  it('leaves other text unchanged', () => {
    const redactor = new Redactor();
    redactor.add('');
    redactor.add('a');
    const text = 'a mint leaf, a local branch, GET /v2/agent/p/job 404 local_ mint_a team_added_facade';
    assert.equal(redactor.redact(text), text);
  });
});

describe('describeError', () => {
  class OfItsOwn extends Error {}
  const coded = (message: string, code: string, cause?: unknown) =>
    Object.assign(new Error(message, { cause }), { code });
  const refused = coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED');
  for (const { what, error, line } of [
    { what: 'a server', error: coded('shutting\n down', '57P01'), line: 'shutting down (57P01)' },
    { what: 'the system', error: refused, line: 'connect ECONNREFUSED 127.0.0.1:1' },
    { what: 'a library’s plain object', error: { message: 'full', code: '53300' }, line: 'full (53300)' },
    {
      what: 'a request',
      error: new TypeError('fetch failed', { cause: refused }),
      line: 'fetch failed, caused by: connect ECONNREFUSED 127.0.0.1:1',
    },
    { what: 'two addresses', error: coded('', 'ECONNREFUSED'), line: 'Error (ECONNREFUSED)' },
    { what: 'what was thrown on purpose', error: new OfItsOwn('lost'), line: 'lost' },
    { what: 'a value that is not an error', error: 'text', line: 'text' },
    { what: 'nothing', error: undefined, line: 'undefined' },
  ]) {
    it(`takes one line for ${what}`, () => {
      assert.equal(describeError(error), line);
    });
  }

  it('shows the stacks of other errors, and their causes', () => {
    const mistake = new TypeError('mistake', { cause: 'inner' });
    for (const error of [new Error('outer', { cause: mistake }), new OfItsOwn('outer', { cause: mistake })]) {
      const text = describeError(error);
      for (const part of ['outer', '\ncaused by: TypeError: mistake', '\ncaused by: inner', 'redact.test.ts']) {
        assert.ok(text.includes(part), part);
      }
    }
    assert.match(describeError(coded('no string', 'ERR_INVALID_ARG_TYPE')), /redact\.test\.ts/);
    const bare = new RangeError('bare');
    delete bare.stack;
    assert.equal(describeError(bare), 'RangeError: bare');
  });
});
