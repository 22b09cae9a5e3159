import * as vscode from 'vscode';
import type { PullRequestAnswer } from '../../client';
import type { LazyClients } from '../services/lazyClients';
import type { Redactor } from '../../shared/util/redact';

/** The API of github.com. */
const API = 'https://api.github.com';

/**
 * Asks GitHub how a pull request stands, in the name of the user who has signed in to the editor and has let this
 * extension use it. Nobody is ever asked to sign in for this: then it answers undefined.
 *
 * @param link `https://github.com/OWNER/REPO/pull/N`
 */
export async function askGitHub(
  { clients, redactor }: { clients: LazyClients; redactor: Redactor },
  link: string,
  etag: string | undefined,
): Promise<PullRequestAnswer | undefined> {
  const session = await Promise.resolve(vscode.authentication.getSession('github', ['repo'], { silent: true })).catch(
    () => undefined,
  );
  if (session === undefined) {
    return undefined;
  }
  redactor.add(session.accessToken);
  const path = new URL(link).pathname.slice(1).replace('/pull/', '/pulls/');
  const [{ readPullRequest }, { transport }] = await Promise.all([import('../../client'), clients.load()]);
  return readPullRequest(transport, { baseUrl: API, path, token: session.accessToken, etag }, Date.now());
}
