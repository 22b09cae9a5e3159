import { deepStrictEqual, match } from 'node:assert/strict';
import { commands } from 'vscode';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { activatedApi, isOver, untilJob } from './support';

describe('a job in a real host', () => {
  it('is created by a command and can be followed to its pull request through the exports', async () => {
    const api = await activatedApi();
    const seen: Job[] = [];
    const subscription = api.onDidChangeJob((job) => seen.push(job));
    const prompt = 'Document the integration';
    const made = await commands.executeCommand<Job>('docsAgent.createJob', { prompt });
    const ended = await untilJob(api, made.key, isOver);
    subscription.dispose();
    const statuses = seen.filter(({ key }) => key === made.key).map(({ status }) => status);
    deepStrictEqual(
      statuses.filter((status, index) => status !== statuses[index - 1]),
      ['sending', 'active', 'completed'],
    );
    match(ended.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/review\//);
  });

  after(() => commands.executeCommand('docsAgent.stopLocalService'));
});
