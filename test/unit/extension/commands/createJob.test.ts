import assert from 'node:assert/strict';
import '../../../support/fakeEditor';
import { createJob } from '../../../../src/extension/features/prompt/box/promptCommands';

describe('createJob', () => {
  it('has a draft for each project of each service, so that no text is offered for another', async () => {
    const drafts: string[] = [];
    const create = (service: string, projectId: string) => {
      const prompts = { ask: ({ draft }: { draft: string }) => Promise.resolve(void drafts.push(draft)) };
      const projects = { choose: () => Promise.resolve({ service, projectId }) };
      return createJob({ projects, prompts } as never, undefined);
    };
    await create('local', 'private');
    await create('local', 'public');
    await create('https://docs.example', 'public');
    await create('local', 'private');
    assert.equal(drafts.length, 4);
    assert.equal(new Set(drafts).size, 3);
    assert.equal(drafts[0], drafts[3]);
  });
});
