import fc from 'fast-check';

const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function letters(length: number, from = ALPHANUMERIC): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...Array.from(from)), { minLength: length, maxLength: length })
    .map((all) => all.join(''));
}

/** A word that is long enough for no rule to take it for a placeholder. */
const word = letters(12).map((text) => `q7${text}`);

/** The body of a private key: lines of base64, of at least this many characters in total. */
export function keyBody(length: number, width = 64): fc.Arbitrary<string[]> {
  return letters(length + (-length & 3), `${ALPHANUMERIC}+/`).map(
    (text) => `${text}MQ==`.match(new RegExp(`.{1,${width}}`, 'g')) ?? [],
  );
}

/** Sample secrets by kind. None is real, and none appears in this file as a whole. */
export const sampleSecrets: Readonly<Record<string, fc.Arbitrary<string>>> = {
  GITHUB_TOKEN: letters(36).map((text) => `ghp_${text}`),
  GITLAB_PERSONAL_ACCESS_TOKEN: letters(20).map((text) => `glpat-${text}`),
  NPM_ACCESS_TOKEN: letters(36).map((text) => `npm_${text}`),
  SENDGRID_KEY: fc.tuple(letters(22), letters(43)).map(([a, b]) => `SG.${a}.${b}`),
  STRIPE_SECRET_KEY_LIVE: letters(24).map((text) => `sk_live_${text}`),
  SLACK_TOKEN: letters(24).map((text) => `xoxb-123456789012-1234567890123-${text}`),
  BasicAuth: word.map((text) => `https://somebody:${text}@db.internal.io`),
  PostgreSQLConnection: word.map((text) => `postgres://somebody:${text}@db.internal.io:5432/store`),
  PrivateKey: letters(640).map((text) =>
    ['-----BEGIN RSA PRIVATE KEY-----', ...(`MI${text}`.match(/.{1,64}/g) ?? []), '-----END RSA PRIVATE KEY-----'].join(
      '\n',
    ),
  ),
  AWSAccessKeyID: letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789').map((text) => `AKIA${text}`),
  SERVICE_KEY: letters(64, '0123456789abcdef').map((text) => `local_${text}`),
};

/** Any sample secret with its kind. */
export const anySecret: fc.Arbitrary<{ kind: string; value: string }> = fc.oneof(
  ...Object.entries(sampleSecrets).map(([kind, value]) => value.map((text) => ({ kind, value: text }))),
);
