import { deepStrictEqual, match } from 'node:assert/strict';
import { JobLinkHandler } from '../../../../src/extension/features/jobs-view/jobLinkHandler';
import { commands, window, workspace } from '../../../support/fakeEditor';

describe('links to jobs that can’t be opened', () => {
  let warned: unknown[][];
  let answer: string | undefined;
  let opened: unknown[][];
  let now: number;
  let handler: JobLinkHandler;

  beforeEach(() => {
    [warned, answer, opened, now] = [[], undefined, [], 1_000_000];
    Object.assign(window, {
      showWarningMessage: (...all: unknown[]) => {
        warned.push(all);
        // Nobody has to answer a notification.
        return answer === undefined ? new Promise(() => undefined) : Promise.resolve(answer);
      },
    });
    commands['executeCommand'] = async (...all: unknown[]) => void opened.push(all);
    workspace['getConfiguration'] = () => ({ get: () => 'hosted', inspect: () => undefined });
    const options = { store: { jobs: [] }, projects: { hostedService: () => undefined } };
    handler = new JobLinkHandler(options as never, () => now);
  });

  const open = (link: string): Promise<void> => {
    const { pathname, search } = new URL(link);
    return handler.open({ path: pathname, query: search.slice(1), fragment: '' } as never);
  };
  const toService = (service: string): string =>
    `vscode://docs-agent.docs-agent-jobs/job?service=${service}&project=p&id=j`;

  it('warn in a notification that blocks nothing', async () => {
    await open('vscode://docs-agent.docs-agent-jobs/job');
    deepStrictEqual(warned, [['This link can’t be opened. It’s incomplete or was changed. Ask for a new one.']]);
  });

  it('name the service that is not the user’s, and offer the setting', async () => {
    answer = 'Open Setting';
    await open(toService('https://evil.example'));
    match(
      String(warned[0]?.[0]),
      /^This link can’t be opened\. Its job is on https:\/\/evil\.example, which isn’t your/,
    );
    await new Promise((resolve) => setImmediate(resolve));
    deepStrictEqual(opened, [['workbench.action.openSettings', 'docsAgent.baseUrl']]);
  });

  it('cause one warning when a page opens many, and another when the user tries again', async () => {
    for (let number = 0; number < 100; number += 1) {
      await open(toService(`https://evil${number}.example`));
    }
    deepStrictEqual(warned.length, 1);
    now += 5_000;
    await open(toService('https://evil.example'));
    deepStrictEqual(warned.length, 2);
  });
});
