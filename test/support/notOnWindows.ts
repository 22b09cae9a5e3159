/**
 * Registers a hook that skips the tests of this `describe` on Windows: those that stand on what it has not, such as shell
 * scripts that start as programs, signals that a process may answer, pipes with names, and links that anybody may make.
 */
export function notOnWindows(): void {
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
}
