/** The first Node.js version whose `node:tls` can read the system's certificate authorities (`getCACertificates`). */
const OLDEST = [22, 15];

/** Returns an error message for a Node.js version that is too old; undefined for a supported one. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
    ? undefined
    : `this is Node.js ${version}, and ${OLDEST.join('.')} or newer is needed.`;
}
