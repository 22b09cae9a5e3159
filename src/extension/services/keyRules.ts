/** The hosted service whose keys have a shape that is known. */
export const DEFAULT_ORIGIN = 'https://api.mintlify.com';

/** What is wrong with a key that was typed. */
export type KeyProblem = 'empty' | 'whitespace' | 'nonAscii' | 'otherKind' | 'prefix';

/**
 * Judges a key before it is kept or sent. Returns undefined for one that may be tried.
 *
 * Keys that begin with `mint_dsc_` or `mint_us_` belong to other products of the default hosted service and are refused
 * by this API; its administrator keys begin with `mint_` (service documentation). Other services have other keys.
 */
export function keyProblem(key: string, origin: string): KeyProblem | undefined {
  if (key === '') {
    return 'empty';
  }
  if (/\s/.test(key)) {
    return 'whitespace';
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return 'nonAscii';
  }
  if (origin !== DEFAULT_ORIGIN) {
    return undefined;
  }
  if (/^mint_(dsc|us)_/.test(key)) {
    return 'otherKind';
  }
  return key.startsWith('mint_') ? undefined : 'prefix';
}
