import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isLongRun } from './scale';

/**
 * Registers a hook that skips the tests of this `describe`, and prints why, if a program of a Debian package can't be
 * had. The long run installs the package if it may.
 *
 * @param program its absolute path
 */
export function needsDebianPackage(name: string, program: string): void {
  before(function () {
    const missing = missingPackage(name, program);
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });
}

/** Returns why the program can't be had; undefined if it is there. */
function missingPackage(name: string, program: string): string | undefined {
  if (existsSync(program)) {
    return undefined;
  }
  if (!isLongRun || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return `needs Debian’s package ${name}`;
  }
  // In this run level, packages start no services.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  // What it says is printed.
  const install = () => spawnSync('apt-get', ['install', ...options, name], { env, stdio: 'inherit' });
  if (install().status !== 0) {
    spawnSync('apt-get', ['update'], { env, stdio: 'inherit' });
    install();
  }
  return existsSync(program) ? undefined : `couldn’t install Debian’s package ${name}`;
}
