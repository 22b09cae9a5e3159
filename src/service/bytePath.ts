import { cutText } from './cutText';

/** The most that is shown of a path, in characters. */
const MAX_SHOWN = 200;

const SLASH = Buffer.from('/');

/** The path of a name in a folder, as bytes: a name that is not UTF-8 has no string that leads back to it. */
export function joinBytes(folder: string | Buffer, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(folder as string), SLASH, Buffer.from(name as string)]);
}

/** A path for a message: bytes that are no UTF-8 become replacement characters, and a long one is cut. */
export function shownPath(path: string | Buffer): string {
  return cutText(path.toString(), MAX_SHOWN);
}
