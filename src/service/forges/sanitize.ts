import { dropInvisible } from '../../shared/util/invisible';
import { cutText } from '../text';

const MAX_WORDS = 300;

/** What is looked at, in UTF-16 units: a host decides how much it says. */
const MAX_READ = 4_000;

/** Prepares someone else's text for a sentence of ours: one line, nothing invisible, no user names in addresses, cut. */
export function sanitize(words: string, secrets: readonly string[] = []): string {
  const printed = withoutSecrets(words, secrets)
    .slice(0, MAX_READ)
    // Sequences of a terminal first, so that no rest of them stays.
    // eslint-disable-next-line no-control-regex -- that is what is taken out
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '');
  const line = dropInvisible(printed)
    .replace(/\s+/g, ' ')
    .replace(/:\/\/[^/\s]*@/g, '://')
    .trim();
  return cutText(line, MAX_WORDS);
}

/** To be done before a text is cut, which could leave the first half of a secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3).sort((a, b) => b.length - a.length);
  return known.reduce((rest, secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
    return forms.reduce((left, form) => left.replaceAll(form, '[secret]'), rest);
  }, text);
}
