/** The paths and addresses that a trap uses. */
export interface Places {
  /** A program that leaves a mark when it runs. */
  trap: string;
  /** An attacker's folder that the repository can refer to. */
  folder: string;
  /** A file that no branch may contain. */
  secret: string;
  /** An HTTP server that asks for a password. */
  server: string;
}

/** The outcome of a job: `unusable` if the folder is not a valid project. */
export type Outcome = 'completed' | 'failed' | 'unusable';

/** A repository that tries to run commands or read files outside it. */
export interface HostileRepository {
  name: string;
  /** A shell script that sets it up, in a clone of the sample repository. */
  plant: (places: Places) => string;
  /** A shell script that triggers the trap through an unprotected command. Absent if this git lacks the feature. */
  careless?: string;
  /** The folder to open, if it is not the repository itself. */
  opened?: string;
  /** The outcome as the user's repository, and as what an agent leaves in its clone; completed when absent. */
  user?: Outcome;
  agent?: Outcome;
  /** Takes seconds, so only the long run includes it. */
  isSlow?: true;
}

const config = (text: string): string => `cat >> .git/config <<'END'\n${text}\nEND\n`;
const attributes = (text: string): string =>
  `printf '${text}\\n' > .gitattributes; git add .gitattributes; git commit --quiet -m Attributes\n`;
const hooks = (folder: string, trap: string): string => `mkdir -p '${folder}'
for hook in post-checkout pre-commit commit-msg reference-transaction post-merge post-index-change pre-auto-gc; do
  cp '${trap}' '${folder}'/$hook
done\n`;
const submodule = (more: string): string =>
  `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git commit --quiet -m Sub\n${config(more)}`;

/** The names of repositories that are tried in every run of the tests with merges. */
export const SIGNATURES = 'signatures that are shown';
export const SUBMODULE_PROGRAMS = 'programs of a submodule';

const COMMIT = 'git commit --quiet --allow-empty -m x';
const STATUS = 'git status';
const ADD = 'echo changed > README.md; git add .';
const DIFF = 'echo changed > README.md; git diff';

export const hostileRepositories: readonly HostileRepository[] = [
  { name: 'hooks', plant: ({ trap }) => hooks('.git/hooks', trap), careless: COMMIT },
  {
    name: 'core.hooksPath',
    plant: ({ trap, folder }) => hooks(`${folder}/h`, trap) + config(`[core]\nhooksPath = ${folder}/h`),
    careless: COMMIT,
  },
  {
    name: 'hooks in the configuration',
    plant: ({ trap }) =>
      config(`[hook "reference-transaction"]\nenabled = true\nevent = reference-transaction\ncommand = ${trap}
[hook "a.b=c d"]\nevent = reference-transaction\nevent = post-index-change\ncommand = ${trap}`),
  },
  { name: 'core.fsmonitor', plant: ({ trap }) => config(`[core]\nfsmonitor = ${trap}`), careless: STATUS },
  {
    name: 'a clean filter',
    plant: ({ trap }) => attributes('* filter=x') + config(`[filter "x"]\nclean = ${trap}\nrequired = true`),
    careless: ADD,
  },
  {
    name: 'a smudge filter',
    plant: ({ trap }) => attributes('* filter=x') + config(`[filter "x"]\nsmudge = ${trap}\nrequired = true`),
    careless: 'rm README.md; git checkout README.md',
  },
  {
    name: 'a filter process of an odd name',
    plant: ({ trap }) => attributes('* filter=a=b.c') + config(`[filter "a=b.c"]\nprocess = ${trap}\nrequired = true`),
    careless: ADD,
  },
  {
    name: 'a clean filter of a name that is not valid UTF-8',
    user: 'failed',
    plant: ({ trap }) =>
      `${attributes('* filter=a\\377')}printf '[filter "a\\377"]\\nclean = ${trap}\\n' >> .git/config\n`,
    careless: ADD,
  },
  {
    name: 'more filters than can be listed',
    isSlow: true,
    user: 'failed',
    plant: ({ trap }) => `${attributes('* filter=x')}${config(`[filter "x"]\nclean = ${trap}`)}
name=$(head -c 1000000 /dev/zero | tr '\\0' n)
for i in $(seq 68); do echo "[filter \\"$i$name\\"]"; echo 'clean = cat'; done >> .git/config\n`,
    careless: ADD,
  },
  { name: 'diff.external', plant: ({ trap }) => config(`[diff]\nexternal = ${trap}`), careless: DIFF },
  {
    name: 'a textconv program',
    plant: ({ trap }) => attributes('* diff=x') + config(`[diff "x"]\ntextconv = ${trap}`),
    careless: DIFF,
  },
  {
    name: 'core.attributesFile',
    plant: ({ trap, folder }) =>
      `echo '* diff=x' > '${folder}/attributes'\n${config(
        `[core]\nattributesFile = ${folder}/attributes\n[diff "x"]\ntextconv = ${trap}`,
      )}`,
    careless: DIFF,
  },
  {
    name: 'aliases',
    plant: ({ trap }) =>
      config(`[alias]\nadd = !${trap}\nstatus = !${trap}\nclone = !${trap}\nfetch = !${trap}\nmine = !${trap}`),
    careless: 'git mine',
  },
  {
    name: 'core.sshCommand',
    plant: ({ trap }) =>
      config(`[core]\nsshCommand = ${trap}\n[remote "origin"]\nurl = ssh://evil.example/x\nfetch = +refs/*:refs/x/*`),
    careless: 'git fetch origin',
  },
  {
    name: 'core.gitProxy',
    plant: ({ trap }) => config(`[core]\ngitProxy = ${trap}\n[remote "origin"]\nurl = git://127.0.0.1:1/x`),
    careless: 'git fetch origin',
  },
  {
    name: 'pager and editor',
    plant: ({ trap }) => config(`[core]\npager = ${trap}\neditor = ${trap}\n[sequence]\neditor = ${trap}`),
    careless: 'git commit --allow-empty',
  },
  {
    name: SIGNATURES,
    // A signed commit, which Git itself would refuse to create without the program.
    plant: ({ trap }) => `id=$( { printf 'tree %s\\n' "$(git rev-parse 'HEAD^{tree}')"
printf 'parent %s\\nauthor x <x@y> 1 +0000\\ncommitter x <x@y> 1 +0000\\n' "$(git rev-parse HEAD)"
printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n AAAA\\n -----END PGP SIGNATURE-----\\n\\nSigned\\n'
} | git hash-object -t commit -w --stdin)
git reset --quiet --soft $id
${config(`[log]\nshowSignature = true\n[gpg]\nprogram = ${trap}`)}`,
    careless: 'git log -1',
  },
  {
    name: 'includeIf',
    plant: ({ trap, folder }) =>
      `printf '[core]\\nfsmonitor = ${trap}\\n' > '${folder}/more'\n${config(
        `[includeIf "gitdir:/"]\npath = ${folder}/more`,
      )}`,
    careless: STATUS,
  },
  {
    name: 'a configuration of the worktree',
    plant: ({ trap }) => `git config extensions.worktreeConfig true
printf '[core]\\nfsmonitor = ${trap}\\n' > .git/config.worktree\n`,
    careless: STATUS,
  },
  {
    name: 'a submodule with an update command',
    plant: ({ trap }) =>
      submodule(`[submodule]\nrecurse = true\nactive = .\n[submodule "sub"]\nurl = .\nupdate = !${trap}`) +
      `printf '[submodule "sub"]\\npath = sub\\nurl = .\\n' > .gitmodules; git clone --quiet . sub\n`,
    careless: 'git submodule update --force',
    agent: 'failed',
  },
  {
    name: 'a submodule at an ext:: address',
    plant: ({ trap }) =>
      submodule(`[protocol "ext"]\nallow = always\n[submodule]\nrecurse = true\nactive = .
[submodule "sub"]\nurl = ext::${trap}`) +
      `printf '[submodule "sub"]\\npath = sub\\nurl = ext::${trap}\\n' > .gitmodules
mkdir sub; git add .gitmodules; git commit --quiet -m Modules\n`,
    careless: 'git -c protocol.ext.allow=always submodule update --init',
  },
  {
    name: SUBMODULE_PROGRAMS,
    plant: ({ trap }) => `for sub in moved touched; do
  git clone --quiet . $sub
  printf '[submodule "%s"]\\npath = %s\\nurl = .\\nignore = none\\n' $sub $sub >> .gitmodules
  printf '[diff]\\nexternal = ${trap}\\n[filter "x"]\\nclean = ${trap}\\n' >> $sub/.git/config
  printf '* filter=x\\n' > $sub/.git/info/attributes
done
git add .gitmodules moved touched; git commit --quiet -m Submodules
git -C moved commit --quiet --allow-empty -m Further; touch -t 200101010000 touched/README.md
${config('[diff]\nsubmodule = diff')}`,
    careless: DIFF,
    agent: 'failed',
  },
  {
    name: 'a remote at an ext:: address',
    plant: ({ trap }) => config(`[protocol "ext"]\nallow = always\n[remote "origin"]\nurl = ext::${trap}`),
    careless: 'git fetch origin',
  },
  {
    name: 'url.insteadOf',
    plant: ({ trap }) => config(`[protocol]\nallow = always\n[url "ext::${trap} "]\ninsteadOf = /`),
    careless: 'git ls-remote /anywhere',
    user: 'failed',
  },
  {
    name: 'a remote with programs of its own',
    plant: ({ trap }) =>
      config(`[remote "origin"]\nurl = .\nuploadpack = ${trap}\nreceivepack = ${trap}
[uploadpack]\npackObjectsHook = ${trap}`),
    careless: 'git fetch origin',
  },
  {
    name: 'credential.helper and core.askPass',
    plant: ({ trap, server }) =>
      config(`[credential]\nhelper = !${trap}\n[core]\naskPass = ${trap}
[fetch]\nbundleURI = ${server}/bundle\n[remote "origin"]\nurl = ${server}/x`),
    careless: 'git fetch origin',
  },
  {
    name: 'gpg.program',
    plant: ({ trap }) => config(`[commit]\ngpgSign = true\n[gpg]\nprogram = ${trap}\n[log]\nshowSignature = true`),
    careless: COMMIT,
  },
  {
    name: 'trailers',
    plant: ({ trap }) => config(`[trailer]\nifmissing = add\n[trailer "job"]\nkey = Docs-Agent-Job\ncommand = ${trap}`),
    careless: 'echo x | git interpret-trailers',
  },
  {
    name: 'alternates',
    plant: ({ trap, folder }) => `git clone --quiet --bare . '${folder}/other.git'
echo '${folder}/other.git/objects' > .git/objects/info/alternates\n${config(`[core]\nalternateRefsCommand = ${trap}`)}`,
    careless: `git clone --quiet . ../another; cd ../another; ${COMMIT}; cd -; git fetch ../another HEAD`,
  },
  {
    name: 'a bare repository inside, of plain files',
    opened: 'inner',
    plant: ({ trap }) => `mkdir -p inner/refs/heads inner/objects/aa; cp .git/HEAD inner
cp -r .git/objects .git/refs inner
printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\nfsmonitor = ${trap}\\n' > inner/config\n`,
    careless: 'cd inner; git status',
    user: 'unusable',
  },
  {
    name: 'core.worktree',
    plant: ({ secret }) => config(`[core]\nworktree = ${secret.slice(0, secret.lastIndexOf('/'))}`),
    careless: 'git add .; git commit --quiet -m x; git grep -q CANARY HEAD && "$TRAP"',
    user: 'unusable',
  },
  {
    name: 'links that lead out',
    plant: ({ secret }) => `ln -s '${secret}' docs/link; ln -s / docs/root; git add .; git commit --quiet -m Links\n`,
    careless: 'grep -q CANARY docs/link && "$TRAP"',
    agent: 'failed',
  },
  {
    name: 'objects that are links',
    plant: ({ secret }) => `mkdir -p .git/objects/aa; rm -f .git/objects/aa/*
ln -s '${secret}' .git/objects/aa/${'b'.repeat(38)}\n`,
    careless: 'grep -Rq CANARY .git/objects && "$TRAP"',
    user: 'failed',
  },
  {
    name: 'ident and export-subst',
    plant: () =>
      `printf '$Id$ $Format:%%H$\\n' > id.md\n${attributes('* ident export-subst text working-tree-encoding=UTF-8')}`,
    careless: 'git add .; git commit --quiet -m x; rm id.md; git checkout id.md; grep -q "Id: " id.md && "$TRAP"',
  },
  {
    name: 'a branch named like an option',
    plant: ({ trap }) => `git update-ref 'refs/heads/--upload-pack=${trap}' HEAD
git symbolic-ref HEAD 'refs/heads/--upload-pack=${trap}'\n`,
    careless: 'git fetch $(git symbolic-ref --short HEAD) .',
  },
  {
    name: 'files named like options and commands',
    plant: ({ trap }) => `for name in --upload-pack=x '-c core.fsmonitor=x' ':(top)x' '!x' 'a
b.md' '$("$TRAP")' '; "$TRAP" ;' '"q".md'; do echo x > "./$name"; done
mkdir -p -- '--exec=$(${trap})'; echo x > '--exec=$(${trap})/x'; git add .; git commit --quiet -m Names\n`,
    careless: 'for name in *; do eval echo "$name"; done',
  },
];

/** Traps that only a merge would trigger. */
export const ofMerges: readonly HostileRepository[] = [
  {
    name: 'a merge driver',
    plant: ({
      trap,
    }) => `printf '[merge "x"]\\ndriver = ${trap} %%O %%A %%B\\n[merge "a=b.c"]\\ndriver = ${trap}\\n' >> .git/config
printf '*.md merge=x\\n' > .gitattributes; git add .gitattributes; git commit --quiet -m Attributes\n`,
  },
  {
    name: 'a default merge driver',
    plant: ({ trap }) => `printf '[merge]\\ndefault = x\\n[merge "x"]\\ndriver = ${trap}\\n' >> .git/config\n`,
  },
  {
    name: 'signatures that are verified, and a strategy',
    plant: ({
      trap,
    }) => `printf '[merge]\\nverifySignatures = true\\n[gpg]\\nprogram = ${trap}\\n[commit]\\ngpgSign = true\\n' >> .git/config
printf '[branch "main"]\\nmergeOptions = --verify-signatures -S --no-ff -s octopus\\n' >> .git/config\n`,
  },
  {
    name: 'a filter with renormalization',
    plant: ({
      trap,
    }) => `printf '[merge]\\nrenormalize = true\\n[filter "x"]\\nclean = ${trap}\\nsmudge = ${trap}\\n' >> .git/config
printf '* filter=x\\n' > .gitattributes; git add .gitattributes; git commit --quiet -m Attributes\n`,
  },
];
