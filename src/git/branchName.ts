/**
 * True for a name of a branch that git takes (git-check-ref-format) and that no command of git can read as an option, as a
 * range or as another notation: what a service names is not trusted.
 */
export function isBranchName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- no branch has these
  const odd = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\/\.|\.lock(\/|$)|^@$|^HEAD$/;
  return name.length > 0 && name.length <= 250 && !odd.test(name) && !name.startsWith('refs/');
}
