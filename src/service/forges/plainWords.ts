import { cutText } from '../cutText';

const MAX_WORDS = 300;

/** Someone else's words for a sentence of ours: one line, no control characters, no user names in addresses, cut. */
export function plainWords(words: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length > 3).sort((a, b) => b.length - a.length);
  const blotted = known.reduce((rest, secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
    return forms.reduce((text, form) => text.replaceAll(form, '[secret]'), rest);
  }, words);
  const line = blotted
    // Sequences of a terminal first, so that no rest of them stays.
    // eslint-disable-next-line no-control-regex -- that is what is taken out
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi, '$1')
    .trim();
  return cutText(line, MAX_WORDS);
}
