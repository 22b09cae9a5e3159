/** With GIT_CONFIG_COUNT (2.31) and GIT_CONFIG_GLOBAL (2.32), without which a repository's programs can't be kept off. */
const LEAST = [2, 32] as const;

/**
 * @param printed what `git version` says
 * @returns words for the user; undefined when it is new enough, or says nothing that can be understood
 */
export function whyTooOld(printed: string): string | undefined {
  const [, version = '', major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
  const isOld = Number(major) < LEAST[0] || (Number(major) === LEAST[0] && Number(minor) < LEAST[1]);
  return isOld
    ? `Your git is too old: it is ${version}, and ${LEAST.join('.')} is the least. Install a newer git and make sure it comes first on the PATH.`
    : undefined;
}
