/** What to do about a repository that git refuses because it is another user's; undefined for what else it printed. */
export function whyNotTrusted(stderr: string, folder: string): string | undefined {
  if (!/safe\.directory|dubious ownership/.test(stderr)) {
    return undefined;
  }
  const own = stderr
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith('git config --global --add safe.directory '));
  const command = own ?? `git config --global --add safe.directory '${folder}'`;
  return `git does not trust this repository, because its folder belongs to another user. If you trust it, run “${command}”, then try again.`;
}
