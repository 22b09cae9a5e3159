import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { showLines } from '../../../../src/prompt/changesText';
import { findSecrets, redactFindings } from '../../../../src/prompt/secrets/findSecrets';
import { ruleDetectors } from '../../../../src/prompt/secrets/ruleDetectors';
import { kindName } from '../../../../src/prompt/secrets/secret';
import { keyBody, sampleSecrets } from './sampleSecrets';

const detectors = ruleDetectors();

async function redacted(text: string): Promise<string> {
  return redactFindings(text, await findSecrets(text, detectors), kindName);
}

/** Whether 16 characters of the key in a row are left. */
function leaks(text: string, lines: readonly string[]): boolean {
  return lines.slice(1, -1).some((line) => {
    const parts = Array.from({ length: Math.max(1, line.length - 15) }, (_, at) => line.slice(at, at + 16));
    return parts.some((part) => text.includes(part));
  });
}

const numbered = (form: (line: string, number: number) => string) => (lines: readonly string[]) =>
  lines.map((line, index) => form(line, index + 1)).join('\n');
const each = (form: (line: string) => string) => numbered(form);
const inString = (lines: readonly string[], end = '\n'): string => JSON.stringify({ key: lines.join(end) });

/** A key in an added file, as `git diff` prints it and a prompt shows it. */
const inDiff = (end: string) => (lines: readonly string[]) => {
  const diff = `diff --git a/k b/k\n@@ -0,0 +1 @@\n${`${lines.join(end)}${end}`.replace(/^/gm, (_, at) => (at === 0 ? '+' : ''))}\n`;
  const added = end.endsWith('\n') ? diff.replaceAll('\r\r\n', '\r\r\n+') : diff;
  return showLines(added);
};

/** How files, tools and programs write the lines of a key. */
const FORMS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'shell comments': each((line) => `# ${line}`),
  'line comments': each((line) => `  // ${line}`),
  'a block comment': (lines) => `/**\n${each((line) => ` * ${line}`)(lines)}\n */`,
  'a comment in a diff': each((line) => `+    # ${line}`),
  'numbered lines': numbered((line, number) => `${String(number).padStart(3)}: ${line}`),
  'the output of cat -n': numbered((line, number) => `${String(number).padStart(6)}\t${line}`),
  'the output of grep': each((line) => `deploy/my key.pem:${line}`),
  'the output of grep -n': numbered((line, number) => `deploy/my key.pem:${number}:${line}`),
  'the output of grep -C': numbered((line, number) => `deploy/key.pem-${number}-${line}`),
  'a service’s log': each((line) => `web_1  | ${line}`),
  'joined strings': (lines) => `key =\n${lines.map((line) => `  "${line}\\n"`).join(' +\n')};`,
  'strings joined at the start of a line': (lines) => lines.map((line) => `'${line}'`).join('\n  . '),
  'calls with a string each': each((line) => `builder.append("${line}\\n");`),
  'strings and a constant': each((line) => `& "${line}" & vbCrLf _`),
  'a list of strings': (lines) => `[\n${lines.map((line) => `  '${line}',`).join('\n')}\n].join('\\n')`,
  'a list of strings on one line': (lines) => JSON.stringify(lines),
  'a list of strings in JSON': (lines) => JSON.stringify(JSON.stringify(lines)),
  'strings on one line': (lines) => lines.map((line) => `'${line}\\n'`).join(' + '),
  'continued lines': each((line) => `${line}\\n\\`),
  JSON: (lines) => inString(lines),
  'JSON with escaped slashes': (lines) => inString(lines).replaceAll('/', '\\/'),
  'JSON with escaped signs': (lines) => inString(lines).replaceAll('+', '\\u002B').replaceAll('=', '\\u003D'),
  'JSON in JSON': (lines) => JSON.stringify({ text: inString(lines) }),
  'JSON in JSON in JSON': (lines) => JSON.stringify({ log: JSON.stringify({ text: inString(lines, '\r\n') }) }),
  'a line with a space for each line end': (lines) => `KEY="${lines.join(' ')}"`,
  'carriage returns': (lines) => lines.join('\r'),
  'doubled carriage returns': (lines) => lines.join('\r\r\n'),
  'a diff of carriage returns': inDiff('\r'),
  'a diff of doubled carriage returns': inDiff('\r\r\n'),
};

describe('private keys', () => {
  for (const [name, form] of Object.entries(FORMS)) {
    it(`are found in ${name}`, () =>
      fc.assert(
        fc.asyncProperty(keyBody(700), fc.boolean(), async (body, isEncrypted) => {
          const header = isEncrypted ? ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123456789ABCDEF', ''] : [];
          const lines = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'];
          const [first = '', ...rest] = lines;
          // With spaces for line ends, such a header can't be told from text.
          const text = form(name.includes('space') ? lines : [first, ...header, ...rest]);
          const shown = await redacted(`before it\n${text}\nend of it`);
          ok(!leaks(shown, lines), shown);
          ok(!shown.includes('-----END'), shown);
          ok(shown.startsWith('before it') && shown.endsWith('\nend of it'), shown);
        }),
        { numRuns: 25 },
      ));
  }

  it('are found when two are on one line', () =>
    fc.assert(
      fc.asyncProperty(keyBody(700), keyBody(300), async (one, other) => {
        const keys = [one, other].map((body) => ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----']);
        const text = JSON.stringify({ list: JSON.stringify(keys.map((lines) => lines.join('\n'))) });
        const mark = '[redacted: private key]';
        strictEqual(await redacted(text), JSON.stringify({ list: JSON.stringify([mark, mark]) }));
      }),
      { numRuns: 25 },
    ));

  it('are found with a PGP checksum', () =>
    fc.assert(
      fc.asyncProperty(keyBody(650), async (body) => {
        const lines = ['Version: GnuPG v2', '', ...body, '=aB3d'];
        const text = `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${lines.join('\n')}\n-----END PGP PRIVATE KEY BLOCK-----\n`;
        strictEqual(await redacted(text), '[redacted: private key]\n');
      }),
      { numRuns: 25 },
    ));

  it('are found when a sign is alone on the last line', async () => {
    const [body = []] = fc.sample(keyBody(768, 70), { numRuns: 1, seed: 1 });
    deepStrictEqual(body.at(-1), '==');
    const key = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...body, '-----END OPENSSH PRIVATE KEY-----'];
    strictEqual(await redacted(key.map((line) => `# ${line}`).join('\n')), '# [redacted: private key]');
  });

  it('are found whole, however long they are and wherever they start', async () => {
    const [body = []] = fc.sample(keyBody(300_000), { numRuns: 1, seed: 1 });
    for (const [at, lines, lineEnd] of [
      [64_000, 630, '\n'],
      [0, 1_570, '\n'],
      [65_000, 4_000, '\r\n'],
      [60_000, 4_000, ''],
    ] as const) {
      const begin = '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n';
      const key = `${begin}${body.slice(0, lines).join(lineEnd)}\n-----END PGP PRIVATE KEY BLOCK-----`;
      const before = 'x y\n'.repeat(at / 4);
      deepStrictEqual(await findSecrets(`${before}${key}\n${before}`, detectors), [
        { kind: 'PrivateKey', start: at, end: at + key.length },
      ]);
    }
  });

  it('are found up to the place where a long line is cut', () =>
    fc.assert(
      fc.asyncProperty(sampleSecrets['PrivateKey'] ?? fc.constant(''), fc.nat(400), async (value, more) => {
        const head = JSON.stringify(value)
          .slice(0, 200 + more)
          .replace(/\\n?$/, '');
        const shown = await redacted(`${head}… the rest of this line left out`);
        strictEqual(shown, '"[redacted: private key]… the rest of this line left out');
      }),
      { numRuns: 50 },
    ));

  it('are not seen in text about keys', async () => {
    const [begin, end] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'];
    const hash = '9fceb02d0ae598e95dc970b74767f19372d61af8';
    for (const text of [
      `The file starts with \`${begin}\` and ends with \`${end}\`. Between them is the key in base64.`,
      `${begin}\n...\n${end}`,
      `"${begin}\\n...\\n${end}\\n"`,
      `key = "${begin}\\n" + body + "\\n${end}\\n"`,
      `# ${begin}\n# (your key goes here)\n# ${end}`,
      `1: ${begin}\n2: <base64 text of the key, as your provider shows it to you>\n3: ${end}`,
      `${begin} here comes the text of the key without quotes and without any other marks ${end}`,
      `if (line === '${begin}') {\n  isInsideOfTheKey = true;\n  startNumberOfTheKey = lineNumber;\n}`,
      `The mark is "${begin}":\n\nhttps://docs.example.com/security/private/keys/and/how/they/are/written/in/files\n`,
      `${begin}\ncommit ${hash}\n\nAuthor: A\n\n    Explain the format\n`,
      `| ${begin} | the first line |\n| ${end} | the last line |`,
      `integrity sha512-${'aB3d'.repeat(22)}==\nand the last line is \`${end}\`, which comes after the body.`,
      `import { aLongNameOfSomething } from 'a/long/path/of/a/module';\n// ${end}`,
    ]) {
      strictEqual(await redacted(text), text);
    }
  });
});
