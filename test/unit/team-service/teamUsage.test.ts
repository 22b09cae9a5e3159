import assert from 'node:assert/strict';
import { JOB_SETTINGS } from '../../../src/local-service/commandLine';
import { usageOf } from '../../../src/local-service/options';
import { teamHelp } from '../../../src/team-service/teamCommandLine';

describe('help of the service for a team', () => {
  it('lists the commands', () => {
    for (const args of [[], ['help'], ['--help'], ['-h'], ['help', 'nothing']]) {
      assert.match(teamHelp(args) ?? '', /^Usage: docs-agent-service COMMAND .*key create/s);
    }
  });

  it('explains each command', () => {
    for (const [args, words] of [
      [['api', '--help'], /^Usage: docs-agent-service api .*--behind-proxy .*--database/s],
      [['worker', '--data', '/data', '--help'], /worker --data DIR .*--keep-days .*--database/s],
      [['project', 'add', '--help'], /project add .*project list.*--repository .*--database/s],
      [['key', '--help'], /key create .*key revoke ID.*--expires .*--database/s],
      [['help', 'key'], /key create/],
    ] as const) {
      assert.match(teamHelp(args) ?? '', words);
    }
    assert.ok(teamHelp(['project', '-h'])?.includes(usageOf(JOB_SETTINGS)));
  });

  it('leaves other commands to the local service, and is shown only on request', () => {
    for (const args of [
      ['serve', '--help'],
      ['check', '--help'],
      ['--repo', '/docs', '--help'],
      ['api'],
      ['key', 'list'],
    ]) {
      assert.equal(teamHelp(args), undefined);
    }
  });
});
