import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findCertainSecrets } from '../../../../src/prompt/secrets/findSecrets';
import { anySecret } from './sampleSecrets';

const { signal } = new AbortController();

/** What pages about keys contain. */
const EXAMPLES = [
  'aws_access_key_id = AKIAIOSFODNN7EXAMPLE',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'account_id: 123456789012, arn:aws:iam::123456789012:user/robin',
  'OPENAI_API_KEY=sk-...',
  'api_key: your-api-key, password: hunter2!',
  `ghp_${'x'.repeat(36)}`,
  'ghp_1234567890abcdefghijklmnopqrstuvwxyz',
  'xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx',
  'postgres://user:password@localhost:5432/db',
  'postgresql://app:s3cr3tPw9@127.0.0.1/db mysql://root:q8Zr2Lk9@db:3306/x',
  'mongodb://myDatabaseUser:D1fficultP%40ssw0rd@mongodb0.example.com',
  'mongodb+srv://<username>:<password>@cluster0.mongodb.net',
  'https://user:pass@git.acme.io/x https://robin:q8Zr2Lk9@example.com/x',
  'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  `SG.${'x'.repeat(22)}.${'y'.repeat(43)}`,
  `glpat-${'x'.repeat(20)} npm_${'x'.repeat(36)} hf_${'x'.repeat(34)}`,
  '//npm.example.com/:_authToken=${NPM_TOKEN}',
  '//npm.example.com/:_authToken=YOUR_TOKEN_HERE',
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
];

describe('findCertainSecrets', () => {
  for (const text of EXAMPLES) {
    it(`takes for an example: ${text.slice(0, 70)}`, async () => {
      const found = await findCertainSecrets(text, signal);
      assert.deepEqual(found, []);
    });
  }

  it('finds any other secret', () =>
    fc.assert(
      fc.asyncProperty(anySecret, async ({ kind, value }) => {
        const found = await findCertainSecrets(`Set the key.\n\n    ${value}\n`, signal);
        assert.deepEqual(
          found.map((each) => each.kind),
          [kind],
        );
      }),
    ));
});
