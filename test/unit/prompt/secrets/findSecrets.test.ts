import assert from 'node:assert/strict';
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Redactor } from '../../../../src/base/redact';
import {
  redactFindings,
  findSecrets,
  ownDetectors,
  findValues,
  redactDetectedSecrets,
} from '../../../../src/prompt/secrets/findSecrets';
import { ruleDetectors, ruleKinds } from '../../../../src/prompt/secrets/ruleDetectors';
import { kindName } from '../../../../src/prompt/secrets/secret';
import { anySecret, sampleSecrets } from './sampleSecrets';

const redactor = new Redactor();
redactor.add('key-of-this-test-1234');
const detectors = [...ownDetectors(redactor), ...ruleDetectors()];

async function kindsIn(text: string): Promise<string[]> {
  return (await findSecrets(text, detectors)).map(({ kind }) => kind);
}

/** Text in which no rule finds anything: words, spaces, line breaks, code fences, and so on. */
const plain = fc
  .array(fc.constantFrom('word', 'naïve', '🙂', ' ', '\n', '```ts', '- ', '=', '"', ':', '$(x)'), { maxLength: 30 })
  .map((parts) => ` ${parts.join('')} `);

/** Longest single task during the work, in milliseconds of CPU time, so that other load on the machine is excluded. */
async function longestTask(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const measured = new Promise<void>((resolve) => {
    const look = (): void => {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
      before = process.cpuUsage();
      if (isOver) {
        resolve();
      } else {
        setImmediate(look);
      }
    };
    setImmediate(look);
  });
  await work();
  isOver = true;
  await measured;
  return longest;
}

describe('secret detection', () => {
  it('redacts every secret and nothing else', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(plain, anySecret), { maxLength: 6 }), plain, async (pairs, end) => {
        const text = pairs.map(([before, { value }]) => before + value).join('') + end;
        const secrets = await findSecrets(text, detectors);
        const redacted = redactFindings(text, secrets, kindName);
        strictEqual(
          redacted,
          pairs.map(([before, { kind }]) => `${before}[redacted: ${kindName(kind)}]`).join('') + end,
        );
        deepStrictEqual(await findSecrets(redacted, detectors), []);
      }),
      { numRuns: 100 },
    ));

  it('leaves no found value in the redacted text, for any text', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string(),
            anySecret.map(({ value }) => value),
          ),
        ),
        async (parts) => {
          const text = parts.join('');
          const secrets = await findSecrets(text, detectors);
          const redacted = redactFindings(text, secrets, kindName);
          for (const { start, end } of secrets) {
            ok(!redacted.includes(text.slice(start, end)));
          }
          const kept = secrets.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
          strictEqual(redacted.replaceAll(/\[redacted: [^\]]+\]/g, ''), kept);
        },
      ),
      { numRuns: 200 },
    ));

  it('finds a secret at any position of a long text, including across chunk boundaries', async () => {
    const value = `ghp_${'aB3dE6'.repeat(6)}`;
    for (const at of [131_071, 131_072, 131_073, 131_050, 262_100, 147_400]) {
      const text = `${'x '.repeat(at).slice(0, at - 1)} ${value} ${'y '.repeat(100_000)}`;
      deepStrictEqual(await findSecrets(text, detectors), [
        { kind: 'GITHUB_TOKEN', start: at, end: at + value.length },
      ]);
    }
  });

  it('also redacts a found value inside a longer word', async () => {
    const value = `ghp_${'aB3dE6'.repeat(6)}`;
    const text = `${value} and é${value}_more`;
    ok(!redactFindings(text, await findSecrets(text, detectors), kindName).includes(value));
  });

  it('redacts the value but not its name', async () => {
    const value = `${'wJalrXUt'.repeat(4)}aB3dE6fG`;
    const text = `AWS_SECRET_ACCESS_KEY="${value}"`;
    strictEqual(
      redactFindings(text, await findSecrets(text, detectors), kindName),
      'AWS_SECRET_ACCESS_KEY="[redacted: AWS secret access key]"',
    );
  });

  it('finds secrets in diffs and in text with line numbers', () =>
    fc.assert(
      fc.asyncProperty(
        anySecret,
        fc.constantFrom('+', '-', ' ', '> 12 | ', '   3 | '),
        async ({ kind, value }, form) => {
          const lines = value.split('\n');
          const text = `@@ -0,0 +1 @@\n${lines.map((line) => form + line).join('\n')}\n+end of it\n`;
          const secrets = await findSecrets(text, detectors);
          deepStrictEqual(
            secrets.map((each) => each.kind),
            [kind],
          );
          const redacted = redactFindings(text, secrets, kindName);
          // The last line of a key may be too short to be distinctive.
          ok(lines.every((line) => line.length < 8 || !redacted.includes(line)));
          ok(redacted.includes('+end of it'));
        },
      ),
      { numRuns: 200 },
    ));

  it('finds a private key that is cut at its end, beginning or middle', () =>
    fc.assert(
      fc.asyncProperty(
        sampleSecrets['PrivateKey'] ?? fc.constant(''),
        fc.constantFrom('', '+'),
        async (value, form) => {
          const lines = value.split('\n').map((line) => form + line);
          for (const kept of [
            lines.slice(0, 6),
            lines.slice(5),
            [...lines.slice(0, 5), '… 4 lines left out', ...lines.slice(-3)],
          ]) {
            const text = ['before it', ...kept, '```', 'behind it'].join('\n');
            const redacted = redactFindings(text, await findSecrets(text, detectors), kindName);
            strictEqual(redacted.replaceAll(form, ''), 'before it\n[redacted: private key]\n```\nbehind it');
          }
        },
      ),
      { numRuns: 30 },
    ));

  it('finds the token in an npm configuration, but not its name or a variable', async () => {
    const line = (token: string): string => `+//packages.example.com/:_authToken=${token}\nalways-auth=true`;
    const text = line('0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9');
    strictEqual(redactFindings(text, await findSecrets(text, detectors), kindName), line('[redacted: npm token]'));
    deepStrictEqual(await kindsIn(`${line('${NPM_TOKEN}')}, set \`_authToken=\` in it`), []);
  });

  it('finds AWS account numbers', async () => {
    deepStrictEqual(await kindsIn('aws_account_id = 1234-5678-9012'), ['AWSAccountID']);
  });

  it('finds the keys that the extension stores, even in base64, and any service key', async () => {
    const kept = 'key-of-this-test-1234';
    deepStrictEqual(await kindsIn(`set ${kept}, ${Buffer.from(kept).toString('base64')}`), ['OWN', 'OWN']);
    deepStrictEqual(await kindsIn(`mint_${'a1B2c3D4'.repeat(3)}`), ['SERVICE_KEY']);
  });

  it('ignores text that only resembles a secret', async () => {
    const texts = [
      'local_variable_name and mint_leaf, const token = readToken();',
      'https://user:password@localhost/ and https://${USER}:${PASSWORD}@example.com',
      'postgres://user:password@localhost:5432/db',
      'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
      'commit 9fceb02d0ae598e95dc970b74767f19372d61af8, 550e8400-e29b-41d4-a716-446655440000',
      'AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}',
      '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
      'ghp_xxxx, npm_config_registry, sk-..., glpat-example',
    ];
    for (const text of texts) {
      deepStrictEqual(await kindsIn(text), [], text);
    }
  });

  it('names every kind of secret', () => {
    const unnamed = ruleKinds().filter((kind) => kindName(kind) === 'secret');
    deepStrictEqual(unnamed, []);
    ok(ruleKinds().length > 40);
    strictEqual(kindName('A_KIND_OF_TOMORROW'), 'secret');
  });

  it('stops searching once aborted', async () => {
    const stop = new AbortController();
    let pieces = 0;
    const detect = (): [] => {
      pieces += 1;
      stop.abort();
      return [];
    };
    await rejects(findSecrets('a'.repeat(1 << 20), [detect], stop.signal), { name: 'AbortError' });
    strictEqual(pieces, 1);
  });

  it('searches 1 MiB of text without blocking for 100 ms', async () => {
    const fillers = [
      'const value = await fetch("https://example.com/path?x=1"); // key token secret\n',
      'https://a:b',
      '-----BEGIN PRIVATE KEY-----\nMIIB',
      'aws_secret_access_key = ',
      'a',
      ' ',
      'xoxb-1',
      'glpat-',
      'postgres://a:b@',
      '_authToken=',
      `${'MIIB'.repeat(16)}\n`,
      '-----END PRIVATE KEY-----',
      '+ ',
    ];
    let longest = 0;
    for (const filler of fillers) {
      const text = filler.repeat(Math.ceil((1 << 20) / filler.length));
      longest = Math.max(longest, await longestTask(() => findSecrets(text, detectors)));
    }
    ok(longest < 100, `the longest task took ${longest} ms`);
  });
});

/** Uses few letters, so that values contain each other and overlap. */
const value = fc.string({ unit: fc.constantFrom('a', 'b', '🙂'), minLength: 1, maxLength: 6 });

const yieldTurn = (): Promise<void> => Promise.resolve();

describe('findValues', () => {
  it('covers exactly what separate searches for each value cover', () =>
    fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 6 }), fc.array(value), async (values, parts) => {
        const text = parts.join('');
        const expected = Array.from({ length: text.length }, () => false);
        const covered = Array.from({ length: text.length }, () => false);
        for (const each of values) {
          for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
            expected.fill(true, at, at + each.length);
          }
        }
        for (const place of await findValues(text, values, yieldTurn)) {
          strictEqual(text.startsWith(place.value, place.start), true);
          covered.fill(true, place.start, place.end);
        }
        deepStrictEqual(covered, expected);
      }),
      { numRuns: 500 },
    ));

  it('returns one place where a value overlaps itself', async () => {
    deepStrictEqual(await findValues('xabababy', ['abab'], yieldTurn), [{ value: 'abab', start: 1, end: 7 }]);
  });
});

describe('redactDetectedSecrets', () => {
  // Assembled here, so that secret scanners do not report this file.
  const github = `ghp_${'a1B2'.repeat(9)}`;
  const own = `local_${'0123456789abcdef'.repeat(4)}`;

  it('redacts anything shaped like a key and leaves the rest unchanged', async () => {
    assert.equal(
      await redactDetectedSecrets(`Document the client.\n\ntoken: ${github}\nkey: ${own}\n`),
      'Document the client.\n\ntoken: [redacted: GitHub token]\nkey: [redacted: docs agent API key]\n',
    );
    assert.equal(await redactDetectedSecrets('Document retries'), 'Document retries');
    for (const hidden of ['\u200B', '\u00AD', '\u0001', '\u000B', '\f', '\r', '\u001B', '\u0085']) {
      const text = await redactDetectedSecrets(`token: ${github.slice(0, 20)}${hidden}${github.slice(20)}\n`);
      assert.doesNotMatch(text, /gh[ps]_/);
    }
    assert.equal(await redactDetectedSecrets('no secret\u200Bhere'), 'no secret\u200Bhere');
    assert.equal(await redactDetectedSecrets(''), '');
  });
});
