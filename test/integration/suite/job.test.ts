import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { commands, extensions } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/apiJob';

describe('a job in a real host', () => {
  it('is made by a command and followed to its pull request through the exports', async () => {
    const api = await extensions.getExtension<DocsAgentApi>('docs-agent.docs-agent-jobs')?.activate();
    const seen: string[] = [];
    const completed = new Promise<Job>((resolve) =>
      api?.onDidChangeJob((job) => {
        if (seen.at(-1) !== job.status) {
          seen.push(job.status);
        }
        if (job.status === 'completed') {
          resolve(job);
        }
      }),
    );
    const prompt = 'Document the integration';
    const made = await commands.executeCommand<Job>('docsAgent.createJob', { prompt });
    const ended = await completed;
    deepStrictEqual(seen, ['sending', 'active', 'completed']);
    strictEqual(ended.key, made.key);
    match(ended.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/review\//);
  });

  after(() => commands.executeCommand('docsAgent.stopLocalService'));
});
