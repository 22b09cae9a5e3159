/**
 * Registers a hook that skips the tests of this `describe` on Windows: tests that depend on missing features, such as
 * executable shell scripts, signals that a process can handle, named pipes, and symbolic links without special rights.
 */
export function notOnWindows(): void {
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
}
