import assert from 'node:assert/strict';
import { Git } from '../../../../src/git/git';
import { MAX_TEMPLATE, pullRequestTemplate } from '../../../../src/local-service/git/repositoryTexts';
import { put } from '../../../support/mergeFixture';
import { git as plainGit, sampleRepository } from '../../../support/temporaryRepository';

describe('the template for pull requests', () => {
  const templateOf = async (files: Record<string, string>): Promise<string> => {
    const folder = await sampleRepository();
    for (const [path, content] of Object.entries(files)) {
      await put(folder, path, content);
    }
    await plainGit(folder, 'add', '--force', '.');
    await plainGit(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Template');
    const base = (await plainGit(folder, 'rev-parse', 'HEAD')).trim();
    // Only the commit counts.
    for (const path of Object.keys(files)) {
      await put(folder, path, 'changed since');
    }
    return pullRequestTemplate(new Git(process.env), { folder }, base);
  };

  for (const path of [
    '.github/pull_request_template.md',
    '.github/PULL_REQUEST_TEMPLATE.md',
    'pull_request_template.md',
    'docs/pull_request_template.md',
    '.gitlab/merge_request_templates/Default.md',
  ]) {
    it(`is found in ${path}`, async () => {
      assert.equal(
        await templateOf({ [path]: '## Checklist\r\n- [ ] <!-- why -->\n' }),
        '## Checklist\n- [ ] <!-- why -->',
      );
    });
  }

  it('is the one that hosts prefer, or empty if there is none', async () => {
    const files = { 'docs/pull_request_template.md': 'docs', '.github/pull_request_template.md': 'github' };
    assert.equal(await templateOf(files), 'github');
    assert.equal(await templateOf({ 'src/pull_request_template.md': 'elsewhere' }), '');
  });

  it('is limited in length and has no invisible characters', async () => {
    const text = await templateOf({ 'pull_request_template.md': `a\u202eb${'x'.repeat(50_000)}` });
    assert.equal(Array.from(text).length, MAX_TEMPLATE);
    assert.ok(text.startsWith('abx'));
  });
});
