import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { detectLikely } from '../../../../src/prompt/secrets/detectLikely';
import { isLikelyOnly, kindName } from '../../../../src/prompt/secrets/secret';
import { redactFindings, findSecrets } from '../../../../src/prompt/secrets/findSecrets';
import { ruleDetectors } from '../../../../src/prompt/secrets/ruleDetectors';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const SIGNATURE = 'q7'.repeat(21);
const TOKEN = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890', name: 'Robin' })}.${SIGNATURE}`;

/** A text and the value in it that may be a secret. */
const FOUND: readonly (readonly [string, string])[] = [
  ['password = hunter2xyz', 'hunter2xyz'],
  ['DB_PASSWORD: "s0meth1ng-else"', 's0meth1ng-else'],
  ["DB_PASSWORD: 'Tr0ub4dor&3'", 'Tr0ub4dor&3'],
  ['DB_PASSWORD=correcthorse', 'correcthorse'],
  ['export DB_PASSWORD=correcthorse', 'correcthorse'],
  ['+DB_PASSWORD=kX9!fT2q', 'kX9!fT2q'],
  ['-  password: kX9fT2qLm', 'kX9fT2qLm'],
  ['spring.datasource.password=kX9fT2qLm', 'kX9fT2qLm'],
  ['const dbPassword = "kX9fT2qLm";', 'kX9fT2qLm'],
  ['mypassword: kX9fT2qLm', 'kX9fT2qLm'],
  ['{"password":"kX9fT2qLm","user":"robin"}', 'kX9fT2qLm'],
  ['"{\\"password\\": \\"kX9fT2qLm\\"}"', 'kX9fT2qLm'],
  ["'password' => 'kX9fT2qLm',", 'kX9fT2qLm'],
  ['password := "kX9fT2qLm"', 'kX9fT2qLm'],
  ['settings["password"] = "kX9fT2qLm"', 'kX9fT2qLm'],
  ['pass: kX9fT2', 'kX9fT2'],
  ['passwd = kX9fT2qLm', 'kX9fT2qLm'],
  ['pwd=kX9fT2qLm', 'kX9fT2qLm'],
  ['Server=db;User Id=robin;Pwd=kX9fT2qLm;', 'kX9fT2qLm'],
  ['--password=kX9fT2qLm --verbose', 'kX9fT2qLm'],
  ['client_secret: 9fceb02d0ae598e95dc970b74767f193', '9fceb02d0ae598e95dc970b74767f193'],
  ['SECRET_KEY = "django-insecure-8#k2!vq"', 'django-insecure-8#k2!vq'],
  ['token: 550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
  ['api_key = 8f14e45fceea167a', '8f14e45fceea167a'],
  ['apiKey: "8f14e45fceea167a"', '8f14e45fceea167a'],
  ['X-Api-Key: 8f14e45fceea167a', '8f14e45fceea167a'],
  ['GET /v1/pages?token=8f14e45fceea&limit=7', '8f14e45fceea'],
  ['access_token=ya29.a0-AfH6SMBx', 'ya29.a0-AfH6SMBx'],
  ['password: "$2b$10$N9qo8uLOickgx2ZMRZoMye"', '$2b$10$N9qo8uLOickgx2ZMRZoMye'],
  ['secret="p@ssw0rt-für-alles"', 'p@ssw0rt-für-alles'],
  [`Cookie: session=${TOKEN}; path=/`, TOKEN],
  [`-${TOKEN}`, TOKEN],
  [`Authorization: Bearer ${TOKEN}`, TOKEN],
];

const NOT_FOUND = [
  'password: string',
  'password?: string;',
  'password: string | undefined',
  'token: int64, secret: varchar(255)',
  'password = <password>',
  'password: "<your-password>"',
  'password=${PASSWORD}',
  'password: "${DB_PASSWORD}"',
  'password: {{ db_password }}',
  'password=$DB_PASSWORD1',
  'password = %DB_PASSWORD1%',
  'const password = process.env.DB_PASSWORD1;',
  'token = os.environ["TOKEN_1"]',
  'const token = await readToken2();',
  'token: request.headers.token1',
  'secret = config?.secret2',
  'password = getPassword1()',
  'password: ***',
  'password: "********"',
  'password=xxxxxxxx',
  'password: changeme',
  'password: "change-me-123"',
  'password: "your_password_here"',
  'api_key: YOUR_API_KEY_1',
  'password: password123',
  'password = "admin123"',
  'secret: my-secret-password',
  'token: "example-token-1"',
  '"password": "Passwort", "token": "Jeton"',
  '"password": "Enter your password!"',
  'password: "Passwort!"',
  'The password: choose something with 8 characters.',
  'Token: 8-character string',
  'password: …, token: ..., secret: [redacted]',
  'max_tokens: 4096000, token_count = 123456',
  'token: 123456789',
  'secretName: tls-secret-1',
  'secret: db-credentials-v2',
  'password: !secret db_password_1',
  'password: *default1',
  'bypass: abc123def, compass = abc123def',
  'if (password == "kX9fT2qLm") return;',
  'Password::class1, token => doSomething2',
  'password_file: /run/secrets/db1',
  'secret: /run/secrets/db_1',
  'token: https://example.com/token1',
  '<input type="password" name="password1">',
  'DB_PASSWORD: "DB_PASSWORD"',
  'eyJhbGciOiJIUzI1NiJ9 is a header',
  'eyJ.eyJ.eyJ and docs.example.com/a.b.c-d_e.f-g.h-i.j-k.l-m.n',
  `${part({ name: 'no header' })}.${part({ a: 1 })}.${SIGNATURE}`,
  'PWD=/home/robin/docs-7',
  '[redacted: GitHub token] :naïve=1',
  'password:\n  hunter2xyz',
];

describe('likely secret detection', () => {
  it('finds web tokens and values whose name suggests a secret', () => {
    for (const [text, value] of FOUND) {
      const found = detectLikely(text).map(({ start, end }) => text.slice(start, end));
      deepStrictEqual(found, [value], text);
      ok(detectLikely(text).every(({ kind }) => isLikelyOnly(kind)));
    }
  });

  it('ignores types, variables, placeholders, labels and examples', () => {
    for (const text of NOT_FOUND) {
      deepStrictEqual(
        detectLikely(text).map(({ start, end }) => text.slice(start, end)),
        [],
        text,
      );
    }
  });

  it('has separate kinds, and certain secrets take precedence', async () => {
    const sure = `ghp_${'aB3dE6'.repeat(6)}`;
    const text = `password = hunter2xyz, token = "${sure}", ${TOKEN}`;
    strictEqual(
      redactFindings(text, await findSecrets(text, ruleDetectors()), kindName),
      'password = [redacted: password or token, by its name], token = "[redacted: GitHub token]", [redacted: JSON Web Token]',
    );
    const longer = `token=${sure}/more`;
    deepStrictEqual(
      (await findSecrets(longer, ruleDetectors())).map(({ kind }) => kind),
      ['GITHUB_TOKEN'],
    );
  });

  it('runs in linear time on any text', () => {
    const pieces = [
      'pwd=',
      'password: "',
      'token=a1',
      'eyJ',
      'eyJ.',
      'eyJ-',
      `${TOKEN}.`,
      'secret',
      '"',
      'a',
      ' ',
      'pwd:\t',
    ];
    let longest = 0;
    for (const piece of [...pieces, 'password="a1', 'pass'.repeat(80), `password=${'a1'.repeat(140)} `, '?token=a1&']) {
      const text = piece.repeat(Math.ceil(250_000 / piece.length));
      const before = performance.now();
      detectLikely(text);
      longest = Math.max(longest, performance.now() - before);
    }
    ok(longest < 1000, `${Math.round(longest)} ms`);
  });
});
