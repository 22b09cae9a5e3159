import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { processControl, shortcutKey } from '../../../src/base/process';

describe('processControl', () => {
  it('uses process groups and `/proc` on Linux', () => {
    const control = processControl('linux', {});
    deepStrictEqual(control.ownGroup, { detached: true, windowsHide: true });
    deepStrictEqual(control.endGroup(42), { group: -42 });
    deepStrictEqual(control.startTime(42), { file: '/proc/42/stat' });
    strictEqual(control.hasProc, true);
    strictEqual(control.groupOutlivesFirst, true);
  });

  it('uses process groups and `ps` on macOS', () => {
    const control = processControl('darwin', {});
    deepStrictEqual(control.ownGroup, { detached: true, windowsHide: true });
    deepStrictEqual(control.endGroup(42), { group: -42 });
    deepStrictEqual(control.startTime(42), { run: ['ps', '-o', 'lstart=', '-p', '42'] });
    strictEqual(control.groupOutlivesFirst, true);
    strictEqual(control.hasProc, false);
  });

  it('uses process trees on Windows, with the system’s own programs by absolute path', () => {
    const control = processControl('win32', { SystemRoot: 'D:\\Win' });
    deepStrictEqual(control.ownGroup, { detached: false, windowsHide: true });
    deepStrictEqual(control.endGroup(42), { run: ['D:\\Win\\System32\\taskkill.exe', '/pid', '42', '/T', '/F'] });
    strictEqual(control.groupOutlivesFirst, false);
    const way = control.startTime(42);
    const [program, ...args] = 'run' in way ? way.run : [];
    strictEqual(program, 'D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    strictEqual(args.at(-1), '(Get-Process -Id 42 -ErrorAction Stop).StartTime.ToFileTimeUtc()');
    strictEqual(control.hasProc, false);
    deepStrictEqual(processControl('win32', {}).endGroup(1), {
      run: ['C:\\Windows\\System32\\taskkill.exe', '/pid', '1', '/T', '/F'],
    });
  });
});

describe('shortcutKey', () => {
  it('is Cmd on macOS', () => {
    deepStrictEqual((['darwin', 'linux', 'win32'] as const).map(shortcutKey), ['Cmd', 'Ctrl', 'Ctrl']);
  });
});
