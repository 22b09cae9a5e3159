/** The first Node.js version whose `node:tls` can read the system's certificate authorities (`getCACertificates`). */
const OLDEST = '22.15';

/** Returns an error message for a Node.js version that is too old; undefined for a supported one. */
export function nodeProblem(version: string): string | undefined {
  return version.localeCompare(OLDEST, 'en', { numeric: true }) >= 0
    ? undefined
    : `this is Node.js ${version}, and ${OLDEST} or newer is needed.`;
}
