import { FORGE_KINDS, type ForgeKind } from '../protocol/forgeKinds';
import { codeSpan } from './contextBlock';

/** A place in a commit of a repository on a Git host. */
export interface HostedPlace {
  /** Origin of the host: `https://github.com`. */
  origin: string;
  host: string;
  /** The URL path between the host and `.git`. */
  repository: string;
  /** Undefined when the host's URL format is unknown. */
  forge: ForgeKind | undefined;
  commit: string;
  /** Relative to the repository's root; undefined for the commit as a whole. */
  path?: string;
  /** Lines count from 1. */
  lines?: { start: number; end: number };
}

/** Maximum length of a URL; a longer one is not worth its space. */
const MAX_ADDRESS = 300;

/** “`owner/repo@sha path#L10-L20` (https://…)”, prefixed with the host unless it is github.com. */
export function permalink(place: HostedPlace): string {
  const { host, repository, commit, path, lines } = place;
  const name = host === 'github.com' ? repository : `${host}/${repository}`;
  const anchor = lines === undefined ? '' : `#L${lines.start}${lines.end === lines.start ? '' : `-L${lines.end}`}`;
  const reference = codeSpan(`${name}@${commit}${path === undefined ? '' : ` ${path}${anchor}`}`);
  const address = webAddress(place);
  return address === undefined || address.length > MAX_ADDRESS ? reference : `${reference} (${address})`;
}

function webAddress({ origin, repository, forge, commit, path, lines }: HostedPlace): string | undefined {
  if (forge === undefined) {
    return undefined;
  }
  const base = `${origin}/${repository}`;
  const { commitPath, filePath, lines: anchor } = FORGE_KINDS[forge];
  if (path === undefined) {
    return `${base}/${commitPath}/${commit}`;
  }
  // In Markdown, a parenthesis would end the URL.
  const escaped = path.split('/').map((part) => encodeURIComponent(part).replace(/[()]/g, escapeByte));
  const fragment = lines === undefined ? '' : anchor(lines.start, lines.end);
  return `${base}/${filePath}/${commit}/${escaped.join('/')}${fragment}`;
}

function escapeByte(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`;
}
