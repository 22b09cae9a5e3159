import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { renderFindings } from '../../../src/prompt/findings';
import { renderReviewComments } from '../../../src/prompt/reviewComments';
import { promptWithSelections } from '../../../src/prompt/promptText';
import { turnPrompt } from '../../../src/local-service/agents/turnPrompt';
import { createDemoSite, demoAgent } from '../../demo/demoSite';
import { git, temporaryFolder } from '../../support/temporaryRepository';

const START = 'docs/getting-started.md';
const RETRIES = 'Failed requests are retried a few times.';

/** What the window's opening selects. */
const { SELECTED } = createRequire(import.meta.url)('../../demo/openingExtension/extension.cjs') as {
  SELECTED: string;
};

describe('demo agent', () => {
  let folder: string;
  beforeEach(async () => {
    folder = (await createDemoSite(await temporaryFolder())).repository;
  });

  it('fails only on a prompt that asks for nothing else', () => {
    const run = (input: string) => spawnSync(process.execPath, [demoAgent], { cwd: folder, input, encoding: 'utf8' });
    assert.equal(run('Please fail.').status, 1);
    assert.equal(run('Say what happens if requests fail.').status, 0);
  });

  it('keeps both sides of a conflict, and the rest of the page', async () => {
    const path = join(folder, START);
    const text = await readFile(path, 'utf8');
    const [ours, theirs] = ['Retried twice.\n', 'Retried three times.\n'] as const;
    await writeFile(path, `${text}<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> main\n`);
    const { summary } = await run(`Resolve the conflicts with main in ${START}.\n\nSome conflict:\n- ${START}\n`);
    assert.equal(await readFile(path, 'utf8'), text + ours + theirs);
    assert.equal(summary, `I kept both versions of the lines that conflict in ${START}.`);
  });

  /** Runs the agent, and returns its summary and the changed lines. */
  const run = async (prompt: string): Promise<{ summary: string; lines: string[] }> => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [demoAgent], {
      cwd: folder,
      input: prompt,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const [, summary = ''] =
      /^([^]*\.) \(Demo agent: it follows a few fixed rules and uses no model\.\)\n$/.exec(stdout) ?? [];
    assert.notEqual(summary, '', stdout);
    await git(folder, 'add', '--all');
    const diff = await git(folder, 'diff', '--cached', '--unified=0');
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Work');
    return { summary, lines: diff.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line)) };
  };

  const selection = (instruction: string, text: string, path = START): string =>
    promptWithSelections(instruction, [{ path, notes: [], startLine: 3, endLine: 3, languageId: 'markdown', text }]);

  const comment = (text: string, quoted: string, path = START): string => {
    const place = { path, side: 'new', from: 3, to: 3, languageId: 'markdown', outdated: false } as const;
    const prompt = renderReviewComments([{ ...place, quoted, text }]);
    return turnPrompt(
      [{ prompt: selection('Improve', RETRIES), finished: true, isInSession: true }],
      prompt,
      'House rules',
    );
  };

  it('replaces names that the check has found, if the prompt says by which', async () => {
    const finding = { path: START, line: 3, what: 'outdated name' };
    const findings = [
      ['attempts', 'maxAttempts'],
      ['tries', undefined],
    ] as const;
    const { text } = renderFindings(
      findings.map(([name, by]) => ({
        ...finding,
        text: `\`${name}\` is no longer in the code.${by === undefined ? '' : ` Probably replaced by \`${by}\`.`} Removed in \`1a2b\` (“Rename”).`,
      })),
    );
    assert.deepEqual(await run(text), {
      summary: `I replaced “attempts” with “maxAttempts” in ${START}.`,
      lines: [
        '-Failed requests are retried a few times. Set `attempts` to change how often.',
        '+Failed requests are retried a few times. Set `maxAttempts` to change how often.',
      ],
    });
  });

  const page = (path = START): Promise<string> => readFile(join(folder, path), 'utf8');

  it('works on a site whose page contains the selected sentence exactly once', async () => {
    assert.equal((await page()).split(SELECTED).length, 2);
  });

  it('rewrites the sentence that the demo selects, and a related page, and shortens it on request', async () => {
    assert.deepEqual(await run(selection('Make this precise', SELECTED)), {
      summary:
        'I rewrote the sentence about retries in docs/getting-started.md, and added the defaults to docs/configuration.md.',
      lines: [
        '-- `attempts`: the maximum number of attempts.',
        '-- `baseDelayMs`: the delay before the second attempt.',
        '+- `attempts`: the maximum number of attempts (default: 4).',
        '+- `baseDelayMs`: the delay before the second attempt, in milliseconds (default: 250).',
        '-Failed requests are retried a few times. Set `attempts` to change how often.',
        '+Failed requests are retried up to three times, with a longer pause before each attempt. Set `attempts` to change how often.',
      ],
    });
    const { summary, lines } = await run('Make it shorter, please.');
    assert.equal(summary, 'I shortened what I had written in docs/getting-started.md.');
    assert.ok(lines.includes('+Failed requests are retried up to three times. Set `attempts` to change how often.'));
  });

  it('removes the quoted line, or only the words in quotation marks', async () => {
    const line = '- [Configuration](configuration.md): how often requests are sent';
    assert.deepEqual(await run(comment('Remove this line.', line, 'docs/index.md')), {
      summary: 'I removed “[Configuration](configuration.md): how often requests are…” from docs/index.md.',
      lines: [`-${line}`],
    });
    await run(comment('Please delete “a few times”.', RETRIES));
    assert.match(await page(), /^Failed requests are retried\. Set/m);
    await run(comment('delete', 'Install the package and send a first request:'));
    assert.match(await page(), /^# Getting started\n\n```ts/);
    await run('Remove "Failed requests are retried."');
    assert.match(await page(), /```\n\nSet `attempts`/);
    await run('Remove "change "');
    assert.match(await page(), /^Set `attempts` to how often\.$/m);
  });

  it('shortens, replaces, and adds a sentence where a comment quotes a line', async () => {
    const line = 'Failed requests are retried a few times. Set `attempts` to change how often.';
    await run(comment('Shorter', 'Install the package and send a first request:'));
    assert.match(await page(), /^Install the package and send a first request:$/m);
    await run(comment('Replace "a few times" with “twice”', line));
    assert.match(await page(), /^Failed requests are retried twice\. Set/m);
    const next = 'Failed requests are retried twice. Set `attempts` to change how often.';
    const { summary } = await run(comment('Say that the delay doubles', next));
    assert.match(
      summary,
      /^I added the sentence “The delay doubles\.” after “Failed requests.*” in docs\/getting-started\.md\.$/,
    );
    assert.match(await page(), /to change how often\. The delay doubles\.\n$/);
    await run(comment('Which version?', '# Getting started'));
    assert.match(await page(), /^# Getting started\n\nNote: Which version\?\n\nInstall/);
    await run(comment('what is lighthouse', "import { send } from 'lighthouse';"));
    assert.match(await page(), /```\n\nNote: what is lighthouse\.\n\nFailed/);
    await run(comment('Shorten this', `${next} The delay doubles.`));
    assert.match(await page(), /\n\nFailed requests are retried twice\. Set `attempts` to change how often\.\n$/);
  });

  it('understands the same in German', async () => {
    await run(comment('Ersetze „a few times“ durch „twice“', RETRIES));
    assert.match(await page(), /^Failed requests are retried twice\. Set/m);
    await run(comment('Sag bitte, dass die Pause wächst', 'Failed requests are retried twice.'));
    assert.match(await page(), /^Failed requests are retried twice\. Die Pause wächst\. Set/m);
    await run(comment('Lösche „Die Pause wächst.“', 'Die Pause wächst.'));
    assert.match(await page(), /^Failed requests are retried twice\. Set/m);
  });

  it('says why it changed nothing', async () => {
    for (const prompt of [
      comment('Remove this line.', 'A line that is gone'),
      'Remove the last line',
      'Make it shorter',
      'x [scripted: change nothing]',
    ]) {
      const { summary, lines } = await run(prompt);
      assert.match(summary, /changed? nothing/);
      assert.deepEqual(lines, [], prompt);
    }
  });
});
