import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A pull request as it was opened. */
export interface OpenedPull {
  repository: string;
  head: string;
}

/**
 * The part of Gitea's API that opens pull requests, on a loopback port. It accepts a second request for the same
 * branch, unlike the real one, so that tests detect duplicate pull requests.
 */
export class LenientGitea {
  readonly pulls: OpenedPull[] = [];
  private readonly server = createServer((incoming, response) => void this.answer(incoming, response));

  /** @param webOrigin the origin of its web pages */
  constructor(private readonly webOrigin: string) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', this.webOrigin);
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, repository = '', rest = ''] = /^\/api\/v1\/repos\/([^/]+\/[^/]+)(.*)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/api/v1/version') {
      send(200, { version: '1.22.0' });
    } else if (repository !== '' && rest === '') {
      send(200, { default_branch: 'main' });
    } else if (rest === '/pulls' && incoming.method === 'GET') {
      const all = this.pulls.map((pull, index) => this.describe(pull, index));
      const own = all.filter((_, index) => this.pulls[index]?.repository === repository);
      const [page, limit] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('limit') ?? 50)];
      send(200, own.toReversed().slice((page - 1) * limit, page * limit));
    } else if (rest === '/pulls' && incoming.method === 'POST') {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) {
        text += String(chunk);
      }
      const { head } = JSON.parse(text) as { head: string };
      const count = this.pulls.push({ repository, head });
      send(201, this.describe({ repository, head }, count - 1));
    } else {
      send(404, {});
    }
  }

  private describe({ repository, head }: OpenedPull, index: number) {
    const link = `${this.webOrigin}/${repository}/pulls/${index + 1}`;
    return { number: index + 1, html_url: link, state: 'open', head: { ref: head, repo: { full_name: repository } } };
  }
}
