/** The variables that a program started by the service may see, in capitals. */
const ALLOWED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR', 'TERM', 'SHELL'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
    'TEMP',
    'TMP',
    'PATHEXT',
    'COMSPEC',
  ],
];

const LOCALE = /^LC_[A-Z]+$/;

/**
 * The part of an environment that a program may see. Everything else stays out: keys and tokens, and what would steer
 * the program (`VSCODE_*`, `GIT_*`, `NODE_OPTIONS`, `ELECTRON_RUN_AS_NODE`). Names compare without case, because Windows
 * spells them `Path` and `SystemRoot`.
 */
export function allowedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const upper = name.toUpperCase();
    if (value !== undefined && (ALLOWED.includes(upper) || LOCALE.test(upper))) {
      allowed[name] = value;
    }
  }
  return allowed;
}
