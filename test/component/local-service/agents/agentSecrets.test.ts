import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import { agentSecrets } from '../../../../src/local-service/agents/agentSecrets';
import { CommandAgent } from '../../../../src/local-service/agents/commandAgent';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';

const KEY = 'sk-proj-abcdefghijklmnop1234567890';

describe('an agent that prints its own key', function () {
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });

  for (const Driver of [CommandAgent, AcpAgent]) {
    it(`leaves no key behind when it runs as a ${Driver.name}`, async () => {
      const script = 'echo "calling with $OPENAI_API_KEY"; echo "Error: 401 for key $OPENAI_API_KEY" >&2; exit 1';
      const command = ['/bin/sh', '-c', script] as const;
      const { task, entries } = await agentTask({ command, prompt: 'p', variables: ['OPENAI_API_KEY'] });
      const failed = await new Driver(SUPERVISOR, { ...process.env, OPENAI_API_KEY: KEY }).run(task).catch(String);
      assert.match(JSON.stringify(failed), /Error: 401 for key \[secret\]/);
      const log = await readFile(join(task.directory, 'agent.log'), 'utf8');
      assert.match(log, /calling with \[secret\]/);
      assert.ok(![failed, log, entries].some((each) => JSON.stringify(each).includes('abcdefghij')));
    });
  }
});

describe('agentSecrets', () => {
  it('redacts a key in a header that is sent along, and not the name of the header', () => {
    const headers = `X-Team: docs\nAuthorization: Bearer ${KEY}`;
    const secrets = agentSecrets({ ANTHROPIC_CUSTOM_HEADERS: headers });
    assert.equal(secrets.redactSecrets(`Authorization: 401 for ${KEY}`), 'Authorization: 401 for [secret]');
  });

  it('leaves limits and the paths of files as they are', () => {
    const given = { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '128000', AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' };
    const said = 'The limit is 128000. /run/token is missing.';
    assert.equal(agentSecrets(given).redactSecrets(said), said);
  });
});
