const WATCHDOG = `'use strict';
exports.start = (pid) => {
  const timer = setInterval(() => {
    try { process.kill(pid, 0); } catch (error) { if (error.code === 'ESRCH') process.exit(87); }
  }, 1000);
  timer.unref();
};
exports.exit = (code) => process.exit(code || 0);
`;

/**
 * Plain JavaScript replacements for two native modules of the VS Code server for which npm has no prebuilt binary.
 * Exports are assigned one by one: the server loads the files with `import()`, and Node finds the names in a CommonJS
 * module by static analysis.
 */
export const standIns: Readonly<Record<string, string>> = {
  '@vscode/spdlog': `'use strict';
const fs = require('fs'), path = require('path');
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
let initialLevel = 2;
class Logger {
  constructor(file) {
    this.level = initialLevel;
    this.raw = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.fd = fs.openSync(file, 'a');
  }
  write(level, text) {
    if (level < this.level || this.fd === undefined) return;
    const line = this.raw ? text + '\\n' : new Date().toISOString() + ' [' + NAMES[level] + '] ' + text + '\\n';
    try { fs.writeSync(this.fd, line); } catch {}
  }
  trace(text) { this.write(0, text); }
  debug(text) { this.write(1, text); }
  info(text) { this.write(2, text); }
  warn(text) { this.write(3, text); }
  error(text) { this.write(4, text); }
  critical(text) { this.write(5, text); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() {
    if (this.fd === undefined) return;
    try { fs.closeSync(this.fd); } catch {}
    this.fd = undefined;
  }
}
exports.version = 11;
exports.setLevel = (level) => { initialLevel = level; };
exports.setFlushOn = () => {};
exports.shutdown = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger(file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(file);
`,
  '@vscode/native-watchdog': WATCHDOG,
  // The name in older releases.
  'native-watchdog': WATCHDOG,
};
