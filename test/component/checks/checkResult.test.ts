import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CheckedResult, checkResult } from '../../../src/checks/process/runCheck';
import { SUPERVISOR } from '../../support/agentTask';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const [, program = ''] = SUPERVISOR;

describe('the check of a job’s result', () => {
  let folder: string;
  let logged: string[];

  const check = (more: { folder?: string; code?: string[] } = {}, signal?: AbortSignal) => {
    const log = { info: () => undefined, warn: (text: string) => logged.push(text), error: () => undefined };
    const range = { folder, base: 'HEAD~1', commit: 'HEAD', code: [], ...more };
    return checkResult({ program, environment: process.env, log }, range, signal ?? new AbortController().signal);
  };
  const summary = (result: CheckedResult | undefined) =>
    result?.findings.map(({ rule, place, ...rest }) => [rule, `${place.path}:${place.line}`, Object.values(rest)[0]]);

  async function commit(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Change');
  }

  beforeEach(async () => {
    folder = await sampleRepository();
    logged = [];
  });

  it('finds an invented flag, a broken link, and invalid code in the added lines only', async () => {
    await commit({ 'docs/z.md': 'Set `--older-flag` first.\n' });
    await commit({
      'docs/a.md': 'Set `--retry-budget` and `attempts`. See [there](no.md).\n',
      'docs/z.md': 'Set `--older-flag` first.\n\n```json\n{ "a": }\n```\n',
    });
    const result = await check();
    deepStrictEqual(
      summary(result)?.map((each) => each.slice(0, 2)),
      [
        ['unknown-name', 'docs/a.md:1'],
        ['broken-link', 'docs/a.md:1'],
        ['invalid-code', 'docs/z.md:4'],
      ],
    );
    strictEqual(summary(result)?.[0]?.[2], '--retry-budget');
    deepStrictEqual([result?.more, logged], [0, []]);
  });

  it('lists 100 findings and counts the others', async () => {
    await commit({ 'docs/a.md': Array.from({ length: 130 }, (_, at) => `See [${at}](no-${at}.md).\n`).join('\n') });
    const result = await check();
    deepStrictEqual([result?.findings.length, result?.more], [100, 30]);
  });

  it('looks names up in the other repositories, too', async () => {
    const other = await sampleRepository();
    await writeFile(join(other, 'src.ts'), "option('retry-budget');\n");
    await git(other, 'add', '--all');
    await git(other, 'commit', '--quiet', '-m', 'Add an option');
    await commit({ 'docs/a.md': 'Set `--retry-budget` first.\n' });
    deepStrictEqual(summary(await check({ code: [other] })), []);
  });

  it('has no result when it is aborted or fails, and logs only the failure', async () => {
    strictEqual(await check({}, AbortSignal.abort()), undefined);
    deepStrictEqual(logged, []);
    strictEqual(await check({ folder: await temporaryFolder() }), undefined);
    strictEqual(logged.length, 1);
  });
});
