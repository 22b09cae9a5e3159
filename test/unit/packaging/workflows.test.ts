import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { checkoutRoot } from '../../support/vscode/paths';

interface Step {
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

  it('publish only in an environment that somebody approves, and only what was attested', () => {
    const release = files.find(({ name }) => name === 'release.yml');
    const { publish } = release?.workflow.jobs ?? {};
    strictEqual(publish?.environment, 'marketplace');
    const secret = Object.entries(release?.workflow.jobs ?? {}).filter(([, job]) =>
      JSON.stringify(job).includes('secrets.'),
    );
    deepStrictEqual(
      secret.map(([name]) => name),
      ['publish'],
    );
  });
});
