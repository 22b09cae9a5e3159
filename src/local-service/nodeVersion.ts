/** The first Node whose `node:tls` knows the certificate authorities of the system (`getCACertificates`). */
const OLDEST = [22, 15];

/** What to do about a Node of this version; undefined for one that the service runs on. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
    ? undefined
    : `this is Node.js ${version}, and the service needs ${OLDEST.join('.')} or newer: start it with such a one.`;
}
