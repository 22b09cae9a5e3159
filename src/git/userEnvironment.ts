import { allowedEnvironment } from './allowedEnvironment';

/**
 * What a git command with the user's credentials may see beyond what each program sees: agents and key rings, proxies,
 * authorities, and where configuration stands. No token: those of the environment (`GH_TOKEN`) would go to any host.
 */
const OF_USER = new Set([
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'DBUS_SESSION_BUS_ADDRESS', 'GNUPGHOME', 'PASSWORD_STORE_DIR', 'KRB5CCNAME'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'GH_CONFIG_DIR', 'GCM_CREDENTIAL_STORE'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
  ...['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT'],
  ...['HOMEDRIVE', 'HOMEPATH', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)'],
]);

/** The environment of the user's own git, ssh, credential helpers and `gh`. Nothing in it lets them ask a person. */
export function userEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own: Record<string, string> = allowedEnvironment(environment);
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && OF_USER.has(name.toUpperCase())) {
      own[name] = value;
    }
  }
  return {
    ...own,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // Empty is set: neither `core.askPass` nor SSH_ASKPASS is asked then.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
  };
}
