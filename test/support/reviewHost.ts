import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addHook, GitServer } from './gitServer';

export type HostKind = 'github' | 'gitlab' | 'gitea';
export const HOST_KINDS: readonly HostKind[] = ['github', 'gitlab', 'gitea'];

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** What a host checks on each pushed commit. */
export type HostRule = 'secret' | 'size' | 'signOff';

/** What the rule `secret` takes for a key. */
export const HOST_SECRET = 'live-key-0123456789';

const MAX_FILE_BYTES = 20_000;

/** Shell commands that print something for a pushed commit `$c` which breaks the rule. */
const RULES: Record<HostRule, string> = {
  secret: `git show --format= "$c" | grep '^+.*${HOST_SECRET}'`,
  size: `git ls-tree -r -l "$c" | awk '$4 > ${MAX_FILE_BYTES}'`,
  signOff: `git show -s --format=%B "$c" | grep -q '^Signed-off-by: ' || echo missing`,
};

/** A pull request on a host. */
export interface HostedPull {
  number: number;
  branch: string;
  base: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

const refused = (status: number, message: unknown): Answer => ({ status, body: { message } });

/**
 * A Git host: real `git http-backend`, and an interface for pull requests, of one kind, that acts on the same
 * repositories.
 */
export class ReviewHost {
  private readonly repositories = new Map<string, HostedRepository>();
  /** How many requests its interface has got. */
  asked = 0;

  private constructor(
    private readonly server: GitServer,
    private readonly kind: HostKind,
    private readonly api: Server,
  ) {
    api.on('request', (incoming: IncomingMessage, response: ServerResponse) => void this.answer(incoming, response));
  }

  static async start(kind: HostKind): Promise<ReviewHost> {
    const server = await GitServer.start();
    const api = createServer();
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    server.api = { origin: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, prefix: '' };
    return new ReviewHost(server, kind, api);
  }

  /** Creates a repository with the branch `main` of another one. */
  async add(path: string, from: string): Promise<HostedRepository> {
    const folder = await this.server.add(path, from);
    const made = new HostedRepository(this.repositories.size + 1, path, `${this.server.origin}/${path}`, folder);
    this.repositories.set(path, made);
    return made;
  }

  async close(): Promise<void> {
    const closed = once(this.api, 'close');
    this.api.close();
    this.api.closeAllConnections();
    await Promise.all([closed, this.server.close()]);
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) {
      text += String(chunk);
    }
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://x');
    const api = { github: askGitHub, gitlab: askGitLab, gitea: askGitea }[this.kind];
    const sent = { method: incoming.method ?? '', path: pathname, query: searchParams, body: text };
    const found = (await api([...this.repositories.values()], sent)) ?? refused(404, 'Not Found');
    response.writeHead(found.status ?? 200, { 'content-type': 'application/json', ...found.headers });
    response.end(JSON.stringify(found.body));
  }
}

/** A repository on a host, and what others do there. */
export class HostedRepository {
  readonly pulls: HostedPull[] = [];

  constructor(
    readonly id: number,
    readonly path: string,
    /** Its page. */
    readonly url: string,
    /** Its bare git directory. */
    readonly folder: string,
  ) {}

  /** The commit of a branch; undefined if there is none of that name. */
  tip(branch: string): Promise<string | undefined> {
    return tipOf(this.folder, branch);
  }

  /** @returns undefined if the branch has an open one */
  async open(spec: Pick<HostedPull, 'branch' | 'base' | 'title' | 'body'>): Promise<HostedPull | string> {
    if (
      this.pulls.some(({ state, branch, base }) => state === 'open' && branch === spec.branch && base === spec.base)
    ) {
      return 'A pull request already exists for this branch.';
    }
    const [head, base] = [await this.tip(spec.branch), await this.tip(spec.base)];
    if (head === undefined || base === undefined || (await isAncestor(this.folder, head, base))) {
      return `No commits between ${spec.base} and ${spec.branch}`;
    }
    const pull: HostedPull = { ...spec, number: this.pulls.length + 1, state: 'open' };
    this.pulls.push(pull);
    await this.keepHead(pull);
    return pull;
  }

  /** False if there are conflicts, or nothing to merge. */
  async merge(pull: HostedPull, method: MergeMethod, deletesBranch: boolean): Promise<boolean> {
    const [head, base] = [await this.tip(pull.branch), await this.tip(pull.base)];
    if (head === undefined || base === undefined) {
      return false;
    }
    const made = await (method === 'rebase'
      ? rebased(this.folder, base, head)
      : merged(this.folder, base, head, method));
    if (made === undefined || made === base) {
      return false;
    }
    await this.keepHead(pull);
    await runGit(this.folder, ['update-ref', `refs/heads/${pull.base}`, made, base]);
    pull.state = 'merged';
    if (deletesBranch) {
      await this.deleteBranch(pull.branch);
    }
    return true;
  }

  async close(pull: HostedPull): Promise<void> {
    await this.keepHead(pull);
    pull.state = 'closed';
  }

  /** False if its branch is gone. */
  async reopen(pull: HostedPull): Promise<boolean> {
    const isThere = (await this.tip(pull.branch)) !== undefined;
    pull.state = isThere ? 'open' : 'closed';
    return isThere;
  }

  /** “Update branch”: merges the base into the branch. False if there are conflicts, or nothing to merge. */
  async updateBranch(pull: HostedPull): Promise<boolean> {
    const [head = '', base = ''] = [await this.tip(pull.branch), await this.tip(pull.base)];
    const made =
      head === '' || (await isAncestor(this.folder, base, head))
        ? undefined
        : await merged(this.folder, head, base, 'merge');
    if (made !== undefined) {
      await runGit(this.folder, ['update-ref', `refs/heads/${pull.branch}`, made, head]);
    }
    return made !== undefined;
  }

  /** From now on, checks each commit that is pushed. */
  async enforce(rule: HostRule | undefined): Promise<void> {
    if (rule === undefined) {
      await rm(join(this.folder, 'hooks', 'pre-receive'), { force: true });
      return;
    }
    await addHook(
      this.folder,
      'pre-receive',
      `while read -r old new name; do
  for c in $(git rev-list "$new" --not --all); do
    if [ -n "$( ${RULES[rule]} )" ]; then echo "Rule ${rule}: commit $c isn’t accepted. See ${this.url}/rules/1" >&2; exit 1; fi
  done
done`,
    );
  }

  private async deleteBranch(branch: string): Promise<void> {
    await runGit(this.folder, ['update-ref', '-d', `refs/heads/${branch}`]);
    this.pulls
      .filter((pull) => pull.branch === branch && pull.state === 'open')
      .forEach((pull) => (pull.state = 'closed'));
  }

  /** Hosts keep the head of each pull request, even when its branch is deleted. */
  private async keepHead({ number, branch }: HostedPull): Promise<void> {
    const head = await this.tip(branch);
    await (head === undefined ? undefined : runGit(this.folder, ['update-ref', `refs/pull/${number}/head`, head]));
  }
}

interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
}

const contentOf = ({ body }: Sent): Record<string, string> => JSON.parse(body) as Record<string, string>;

/** What GitHub and Gitea, whose interface is modeled on it, have in common. */
async function askLikeGitHub(
  at: HostedRepository,
  rest: string,
  sent: Sent,
  { refusal, link, list }: { refusal: number; link: string; list: (pulls: HostedPull[]) => HostedPull[] },
): Promise<Answer | undefined> {
  const [owner = '', name = ''] = at.path.split('/');
  const show = (pull: HostedPull) => ({
    ...{ number: pull.number, title: pull.title, body: pull.body, html_url: `${at.url}/${link}/${pull.number}` },
    ...{ state: pull.state === 'open' ? 'open' : 'closed', merged: pull.state === 'merged' },
    merged_at: pull.state === 'merged' ? '2026-01-01T00:00:00Z' : null,
    head: { ref: pull.branch, repo: { full_name: at.path } },
    base: { ref: pull.base, repo: { full_name: at.path } },
  });
  if (rest === '') {
    return { body: { name, owner: { login: owner }, full_name: at.path, default_branch: 'main' } };
  }
  const branch = /^\/branches\/(.+)$/.exec(rest)?.[1];
  if (branch !== undefined) {
    const tip = await at.tip(decodeURIComponent(branch));
    return tip === undefined
      ? undefined
      : { body: { name: decodeURIComponent(branch), commit: { sha: tip, id: tip } } };
  }
  if (rest === '/pulls' && sent.method === 'POST') {
    const { head = '', base = '', title = '', body = '' } = contentOf(sent);
    const opened = await at.open({ branch: head.replace(/^[^:]*:/, ''), base, title, body });
    return typeof opened === 'string' ? refused(refusal, opened) : { status: 201, body: show(opened) };
  }
  if (rest === '/pulls') {
    const state = sent.query.get('state') ?? 'open';
    return {
      body: list(at.pulls.filter((pull) => state === 'all' || (state === 'open') === (pull.state === 'open'))).map(
        show,
      ),
    };
  }
  const pull = at.pulls.find(({ number }) => rest === `/pulls/${number}`);
  if (pull !== undefined && sent.method === 'PATCH') {
    pull.body = contentOf(sent)['body'] ?? pull.body;
  }
  return pull && { body: show(pull) };
}

/** https://docs.github.com/en/enterprise-server/rest/pulls/pulls */
async function askGitHub(all: readonly HostedRepository[], sent: Sent): Promise<Answer | undefined> {
  const own = { 'x-github-enterprise-version': 'enterprise-server@3.17.0', 'x-github-media-type': 'github.v3' };
  if (sent.path === '/api/v3') {
    return { headers: own, body: {} };
  }
  const at = all.find(({ path }) => `${sent.path}/`.startsWith(`/api/v3/repos/${path}/`));
  const head = sent.query.get('head')?.replace(/^[^:]*:/, '');
  const list = (pulls: HostedPull[]) =>
    pulls.filter(({ branch }) => head === undefined || branch === head).toReversed();
  const rest = sent.path.slice(`/api/v3/repos/${at?.path ?? ''}`.length);
  const found = at && (await askLikeGitHub(at, rest, sent, { refusal: 422, link: 'pull', list }));
  return found && { ...found, headers: own };
}

/** https://docs.gitea.com/api/ */
async function askGitea(all: readonly HostedRepository[], sent: Sent): Promise<Answer | undefined> {
  if (sent.path === '/api/v1/version') {
    return { body: { version: '1.23.0' } };
  }
  const at = all.find(({ path }) => `${sent.path}/`.startsWith(`/api/v1/repos/${path}/`));
  const [page, limit] = [Number(sent.query.get('page') ?? 1), Math.min(50, Number(sent.query.get('limit') ?? 30))];
  const list = (pulls: HostedPull[]) => pulls.toReversed().slice((page - 1) * limit, page * limit);
  const rest = sent.path.slice(`/api/v1/repos/${at?.path ?? ''}`.length);
  return at && askLikeGitHub(at, rest, sent, { refusal: 409, link: 'pulls', list });
}

/** https://docs.gitlab.com/api/merge_requests/ */
async function askGitLab(all: readonly HostedRepository[], sent: Sent): Promise<Answer | undefined> {
  if (sent.path === '/api/v4/version') {
    return refused(401, '401 Unauthorized');
  }
  const [, id = '', rest = ''] = /^\/api\/v4\/projects\/([^/]+)(.*)$/.exec(sent.path) ?? [];
  const at = all.find((each) => String(each.id) === id || each.path === decodeURIComponent(id));
  if (at === undefined || rest === '') {
    return at && { body: { id: at.id, default_branch: 'main', path_with_namespace: at.path } };
  }
  const show = (pull: HostedPull) => ({
    ...{ id: 1_000 + pull.number, iid: pull.number, title: pull.title, description: pull.body },
    state: { open: 'opened', merged: 'merged', closed: 'closed' }[pull.state],
    ...{ source_branch: pull.branch, target_branch: pull.base, source_project_id: at.id, target_project_id: at.id },
    merged_at: pull.state === 'merged' ? '2026-01-01T00:00:00Z' : null,
    web_url: `${at.url}/-/merge_requests/${pull.number}`,
  });
  const branch = /^\/repository\/branches\/([^/]+)$/.exec(rest)?.[1];
  if (branch !== undefined) {
    const tip = await at.tip(decodeURIComponent(branch));
    return tip === undefined ? undefined : { body: { name: decodeURIComponent(branch), commit: { id: tip } } };
  }
  if (rest === '/merge_requests' && sent.method === 'POST') {
    const { source_branch = '', target_branch = '', title = '', description = '' } = contentOf(sent);
    const opened = await at.open({ branch: source_branch, base: target_branch, title, body: description });
    return typeof opened === 'string' ? refused(409, [opened]) : { status: 201, body: show(opened) };
  }
  if (rest === '/merge_requests') {
    const [state, source] = [sent.query.get('state'), sent.query.get('source_branch')];
    const found = at.pulls.map(show).filter((each) => state === null || state === 'all' || each.state === state);
    return { body: found.filter((each) => source === null || each.source_branch === source).toReversed() };
  }
  const pull = at.pulls.find(({ number }) => rest === `/merge_requests/${number}`);
  if (pull !== undefined && sent.method === 'PUT') {
    pull.body = contentOf(sent)['description'] ?? pull.body;
  }
  return pull && { body: show(pull) };
}

const PERSON = 'Rosa Reviewer <rosa@example.org> 1767225600 +0000';

/**
 * Commits a change of one file to a branch, without a checkout.
 *
 * @param gitDir of the host's repository or of the user's
 * @returns the commit
 */
export async function commitOn(
  gitDir: string,
  branch: string,
  path: string,
  change: (text: string) => string,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const text = Buffer.from(change(await runGit(gitDir, ['cat-file', 'blob', `${ref}:${path}`])));
  const message = 'Change a page by hand\n\nSigned-off-by: Rosa Reviewer <rosa@example.org>\n';
  const commit = `commit ${ref}\ncommitter ${PERSON}\ndata ${message.length}\n${message}\nfrom ${ref}^0\n`;
  const file = `M 100644 inline ${path}\ndata ${text.length}\n`;
  await runGit(gitDir, ['fast-import', '--quiet'], `${commit}${file}${text.toString()}\n`);
  return (await tipOf(gitDir, branch)) ?? '';
}

export async function tipOf(gitDir: string, branch: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  return (await runGit(gitDir, args).catch(() => '')).trim() || undefined;
}

export function isAncestor(gitDir: string, earlier: string, later: string): Promise<boolean> {
  return runGit(gitDir, ['merge-base', '--is-ancestor', earlier, later]).then(
    () => true,
    () => false,
  );
}

/** The merge of `head` into `base`; undefined if there are conflicts. */
export async function merged(
  gitDir: string,
  base: string,
  head: string,
  method: 'merge' | 'squash',
): Promise<string | undefined> {
  const tree = await mergedTree(gitDir, base, head);
  const parents = [base, ...(method === 'merge' ? [head] : [])].flatMap((each) => ['-p', each]);
  return tree === undefined ? undefined : commitTree(gitDir, tree, parents, 'Merge what was reviewed');
}

/** Copies each commit, except merges, onto the base. Undefined if there are conflicts. */
async function rebased(gitDir: string, base: string, head: string): Promise<string | undefined> {
  const commits = await runGit(gitDir, ['rev-list', '--reverse', '--no-merges', `${base}..${head}`]);
  let tip = base;
  for (const commit of commits.split('\n').filter((each) => each !== '')) {
    // As a child of the commit's parent, so that this is the merge base.
    const parent = `${commit}^`;
    const onto = await commitTree(gitDir, `${tip}^{tree}`, ['-p', parent], 'Onto');
    const tree = await mergedTree(gitDir, onto, commit);
    if (tree === undefined) {
      return undefined;
    }
    const isEmpty = tree === (await runGit(gitDir, ['rev-parse', `${tip}^{tree}`])).trim();
    const message = await runGit(gitDir, ['show', '-s', '--format=%B', commit]);
    tip = isEmpty ? tip : await commitTree(gitDir, tree, ['-p', tip], message);
  }
  return tip;
}

async function mergedTree(gitDir: string, one: string, other: string): Promise<string | undefined> {
  return runGit(gitDir, ['merge-tree', '--write-tree', one, other]).then(
    (printed) => printed.trim(),
    () => undefined,
  );
}

async function commitTree(gitDir: string, tree: string, parents: string[], message: string): Promise<string> {
  return (await runGit(gitDir, ['commit-tree', tree, ...parents, '-m', message])).trim();
}

/** Runs git in a git directory as someone with no configuration; returns its output. */
export async function runGit(gitDir: string, args: readonly string[], input = ''): Promise<string> {
  const [name, email] = ['Rosa Reviewer', 'rosa@example.org'];
  const env: NodeJS.ProcessEnv = {
    ...{ PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
  const child = spawn('git', [`--git-dir=${gitDir}`, ...args], { env, stdio: 'pipe' });
  const printed = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.error += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`git ${args.join(' ')}: ${printed.error}`);
  }
  return printed.out;
}
