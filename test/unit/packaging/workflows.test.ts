import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { checkoutRoot } from '../../support/vscode/paths';
import { RELEASES } from '../../support/vscode/release';
import { run } from '../../support/vscode/run';

interface Step {
  env?: Record<string, string>;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  steps: Step[];
  permissions?: Record<string, string>;
  environment?: string;
  'timeout-minutes'?: number;
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const folder = join(checkoutRoot, '.github', 'workflows');
const files = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  return { name, text, workflow: load(text) as Workflow };
});
const { scripts } = JSON.parse(readFileSync(join(checkoutRoot, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('the workflows', () => {
  it('are those for tests, nights and releases', () => {
    deepStrictEqual(files.map(({ name }) => name).toSorted(), ['nightly.yml', 'release.yml', 'test.yml']);
  });

  for (const { name, text, workflow } of files) {
    const jobs = Object.entries(workflow.jobs);
    const steps = jobs.flatMap(([, job]) => job.steps);

    it(`${name}: pins each action by its commit, and says which version that is`, () => {
      const lines = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
      strictEqual(lines.length, steps.filter(({ uses }) => uses !== undefined).length);
      const pinned = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
      deepStrictEqual(
        lines.filter((line) => !pinned.test(line)),
        [],
      );
    });

    it(`${name}: runs scripts that package.json has`, () => {
      const commands = steps.map(({ run }) => run ?? '').join('\n');
      const named = [...commands.matchAll(/\bnpm run ([\w:-]+)|\bnpm (test)\b/g)].map(
        ([, script, test]) => script ?? test,
      );
      ok(named.length > 0);
      deepStrictEqual(
        named.filter((script) => script === undefined || scripts[script] === undefined),
        [],
      );
    });

    it(`${name}: takes Node as .node-version names it, and packages by their hashes and without their scripts`, () => {
      const nodes = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
      ok(nodes.length > 0);
      for (const { with: options } of nodes) {
        strictEqual(options?.['node-version-file'], '.node-version');
        strictEqual(options['node-version'], undefined);
      }
      const commands = steps.flatMap((step) => step.run?.split('\n') ?? []);
      const installs = commands.filter((line) => /\bnpm (ci|i|install|exec|add)\b/.test(line));
      deepStrictEqual([...new Set(installs)], ['npm ci --ignore-scripts']);
      deepStrictEqual(
        commands.filter((line) => /\bnpx\b(?! --no-install )/.test(line)),
        [],
      );
    });

    it(`${name}: may only read, but for the job that writes, and leaves no token in the checkout`, () => {
      deepStrictEqual(workflow.permissions, { contents: 'read' });
      const writes = jobs.filter(([, { permissions }]) => Object.values(permissions ?? {}).includes('write'));
      deepStrictEqual(
        writes.map(([job]) => job),
        name === 'release.yml' ? ['attest', 'draft'] : [],
      );
      // What may write runs nothing from the checkout or the registry.
      ok(
        writes.every(([, job]) =>
          job.steps.every(({ uses, run }) => !/checkout|npm/.test(`${uses ?? ''} ${run ?? ''}`)),
        ),
      );
      for (const { uses, with: options } of steps.filter((step) => step.uses?.startsWith('actions/checkout@'))) {
        strictEqual(options?.['persist-credentials'], false, uses);
      }
      ok(!('pull_request_target' in workflow.on));
    });

    it(`${name}: ends each job in time, and puts nothing from outside into a script`, () => {
      ok(jobs.every(([, job]) => (job['timeout-minutes'] ?? 0) > 0));
      deepStrictEqual(
        steps.filter(({ run }) => run?.includes('${{')),
        [],
      );
    });
  }

  it('run on the Node that the tests bring along, to the last figure', () => {
    strictEqual(readFileSync(join(checkoutRoot, '.node-version'), 'utf8'), `${RELEASES.newest.node}\n`);
  });

  const jobs = Object.entries(files.find(({ name }) => name === 'release.yml')?.workflow.jobs ?? {});
  const publish = jobs.find(([name]) => name === 'publish')?.[1];
  const publishing = publish?.steps.at(-1);

  it('publish only in an environment that somebody approves, which alone holds a token, for the last step', () => {
    strictEqual(publish?.environment, 'marketplace');
    const secret = jobs.flatMap(([, { steps }]) => steps).filter((step) => JSON.stringify(step).includes('secrets.'));
    deepStrictEqual(secret, [publishing]);
    ok(!JSON.stringify(jobs.map(([, job]) => ({ ...job, steps: [] }))).includes('secrets.'));
  });

  it('publish only what this workflow attested for this tag', () => {
    const commands = publish?.steps.map((step) => step.run ?? '') ?? [];
    const [verifying, ...more] = commands.filter((command) => command.includes('gh attestation verify'));
    deepStrictEqual(more, []);
    for (const option of [
      '--repo "$GITHUB_REPOSITORY"',
      '--signer-workflow "$GITHUB_REPOSITORY/.github/workflows/release.yml"',
      '--source-ref "$GITHUB_REF"',
      '--source-digest "$GITHUB_SHA"',
    ]) {
      ok(verifying?.includes(option), option);
    }
    strictEqual(commands.indexOf(verifying ?? ''), commands.length - 2);
    strictEqual(publish?.permissions?.['attestations'], 'read');
  });

  it('fail where the token to publish with is missing', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const script = publishing?.run ?? 'true';
    const env = { PATH: process.env['PATH'], VSCE_PAT: '' };
    const { code, output } = await run('bash', ['-e', '-c', script], { env });
    strictEqual(code, 1);
    match(output, /^::error::Nothing was published: .*VSCE_PAT/);
  });
});
