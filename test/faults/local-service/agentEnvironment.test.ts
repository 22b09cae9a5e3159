import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { localBench } from '../../contract/contractBench';
import { notOnWindows } from '../../support/machine';
import { report, scaled, seed } from '../../support/scale';
import { testNode } from '../../support/serviceProcess';
import { temporaryFolder } from '../../support/temporaryRepository';

/** Variables from the environment of a developer, an editor and a build machine that an agent must not see. */
const KNOWN = [
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'MINT_KEY'],
  ...['DOCS_AGENT_KEY', 'DOCS_AGENT_TEST', 'SSH_AUTH_SOCK', 'GPG_AGENT_INFO', 'KUBECONFIG', 'DATABASE_URL'],
  ...['VSCODE_PID', 'VSCODE_IPC_HOOK', 'VSCODE_GIT_ASKPASS_NODE', 'VSCODE_CWD', 'ELECTRON_NO_ATTACH_CONSOLE'],
  ...[
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_CONFIG_COUNT',
    'GIT_SSH_COMMAND',
    'GIT_ASKPASS',
    'GIT_EXEC_PATH',
  ],
  ...['NODE_PATH', 'PYTHONPATH', 'PERL5OPT', 'RUBYOPT', 'BASH_ENV', 'ENV'],
  ...['LC_EVIL_1', 'PATHX', 'XHOME', 'HTTP_PROXY', 'https_proxy', 'npm_config_registry', 'CI', 'EDITOR', 'PAGER'],
];

const ALLOWED = {
  LANG: 'C',
  LC_TIME: 'C',
  TMPDIR: '/tmp',
  TERM: 'dumb',
  USER: 'robin',
  LOGNAME: 'robin',
  SHELL: '/bin/sh',
};

describe('local service, the environment of an agent', function () {
  notOnWindows();

  it('contains the allowed variables and the job’s own, and nothing else', async () => {
    const folder = await temporaryFolder();
    const [script, dump] = [join(folder, 'dump.mjs'), join(folder, 'environment.json')];
    await writeFile(
      script,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(dump)}, JSON.stringify(process.env));`,
    );
    // Variables that change how the service itself runs would break the test instead of testing the promise.
    const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{2,24}$/).filter((each) => !/^(LD_|NODE|UV_|SSL|LC_)/.test(each));
    const names = fc.sample(name, { numRuns: scaled(200, 1_000), seed });
    const planted = [...new Set([...KNOWN, ...names])].filter(
      (each) => !(each in ALLOWED) && !/^(PATH|HOME)$/.test(each),
    );
    const bench = await localBench({
      agentCommand: [testNode(), script],
      environment: {
        ...Object.fromEntries(planted.map((each) => [each, 'CANARY'])),
        ...ALLOWED,
        HOME: folder,
        NODE_OPTIONS: '--no-warnings',
        ELECTRON_RUN_AS_NODE: '1',
      },
    });
    try {
      const { id } = await bench.client.createJob(bench.target, 'Look round');
      assert.equal((await bench.ended(id)).status, 'completed');
      const seen = JSON.parse(await readFile(dump, 'utf8')) as Record<string, string>;
      const ours = {
        ...{ PYTHONSAFEPATH: '1', COREPACK_ENV_FILE: '0', DOCS_AGENT_JOB: id },
        ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.bareRepository', GIT_CONFIG_VALUE_0: 'explicit' },
      };
      const expected = { ...ALLOWED, HOME: folder, PATH: process.env['PATH'], ...ours };
      assert.deepEqual(seen, expected, `seed ${seed}`);
      const extra = Object.keys(seen).length - Object.keys(expected).length;
      report({
        promise: 'S12',
        what: `${planted.length + 2} planted variables`,
        figure: `${extra} extra seen by the agent`,
      });
    } finally {
      await bench.close();
    }
  });
});
