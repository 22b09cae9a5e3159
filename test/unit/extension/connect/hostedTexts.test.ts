import assert from 'node:assert/strict';
import { DEFAULT_ORIGIN } from '../../../../src/extension/platform/apiKeys';
import { keyBoxText } from '../../../../src/extension/platform/keyPrompt';
import { projectIdProblem, projectIdPrompt } from '../../../../src/extension/sending/projects';

describe('texts of the setup for a hosted service', () => {
  it('mention the API keys page only for the service that has one', () => {
    assert.match(projectIdPrompt(DEFAULT_ORIGIN), /API keys page/);
    assert.match(projectIdPrompt('https://jobs.example.com'), /administrator or dashboard/);
    assert.match(keyBoxText(DEFAULT_ORIGIN), /admin API key from the dashboard/);
    assert.match(keyBoxText('https://jobs.example.com'), /administrator or dashboard.*https:\/\/jobs\.example\.com/);
  });

  it('accept no API key as a project ID, because it would be saved in the settings', () => {
    for (const key of ['mint_abc', `team_${'0f'.repeat(32)}`]) {
      assert.match(projectIdProblem(key) ?? '', /API key/);
    }
    for (const id of ['docs-1234567890', 'team_docs-1234567890']) {
      assert.equal(projectIdProblem(id), undefined);
    }
  });
});
