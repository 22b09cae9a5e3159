import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../src/checks/finding';
import { checkLines, checkPages } from '../../support/runCheck';
import { git, temporaryFolder } from '../../support/temporaryRepository';

const OWN = 'https://github.com/acme/lighthouse/blob/main';

describe('check of links', () => {
  let folder: string;

  /** @param moves files that get another path, or go */
  const commit = async (files: Record<string, string>, moves: Record<string, string> = {}): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const [from, to] of Object.entries(moves)) {
      if (to === '') {
        await rm(join(folder, from));
      } else {
        await mkdir(dirname(join(folder, to)), { recursive: true });
        await git(folder, 'mv', from, to);
      }
    }
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', `Change ${Object.keys({ ...files, ...moves }).join(' ')}`);
  };
  const linksIn = (findings: readonly Finding[]) =>
    findings.flatMap((finding) =>
      finding.rule === 'broken-link' || finding.rule === 'missing-image'
        ? [[finding.place.path, finding.target, finding.successor, finding.evidence?.commit.subject]]
        : [],
    );

  beforeEach(async () => {
    folder = await temporaryFolder();
    await git(folder, 'init', '--quiet');
    await git(folder, 'remote', 'add', 'origin', 'git@github.com:acme/lighthouse.git');
  });

  it('reports those whose files were removed while a page had them, and where these are now', async () => {
    const targets = ['../src/lamp.ts', `${OWN}/src/lens.ts#L3`, 'fog.md', 'map.png', 'never.md'];
    await commit({
      'docs/a.md': targets.map((target) => `[x](${target})\n`).join('\n'),
      'src/lamp.ts': 'export const lamp = 1;\n',
      'src/lens.ts': 'export const lens = 2;\n',
      'docs/fog.md': '# Fog\n',
      'docs/map.png': 'png',
    });
    await commit({}, { 'src/lamp.ts': 'lib/lamp.ts', 'docs/fog.md': '' });
    await commit({}, { 'lib/lamp.ts': 'packages/core/light.ts', 'src/lens.ts': 'lib/lens.ts' });
    await commit({ 'docs/b.md': '[later](../src/lamp.ts)\n' });
    const { findings } = await checkPages([folder]);
    const [first, second] = ['Change src/lamp.ts docs/fog.md', 'Change lib/lamp.ts src/lens.ts'];
    deepStrictEqual(linksIn(findings).toSorted(), [
      ['docs/a.md', '../src/lamp.ts', 'packages/core/light.ts', first],
      ['docs/a.md', 'fog.md', null, first],
      ['docs/a.md', `${OWN}/src/lens.ts#L3`, 'lib/lens.ts', second],
      ['docs/b.md', '../src/lamp.ts', 'packages/core/light.ts', first],
    ]);
  });

  it('reports those of a Mintlify site on all pages, and on added lines', async () => {
    await commit({
      'docs/docs.json': '{\n  "navigation": { "pages": ["index", "gone"] }\n}\n',
      'docs/index.mdx': '[a](/index) [b](/nowhere)\n',
    });
    await commit({ 'docs/index.mdx': '[a](/index) [b](/nowhere)\n\n[c](/index#there) [d](/index)\n' });
    const old = [
      ['docs/docs.json', 'gone', null, undefined],
      ['docs/index.mdx', '/nowhere', null, undefined],
    ];
    const added = ['docs/index.mdx', '/index#there', null, undefined];
    deepStrictEqual(linksIn((await checkPages([folder])).findings), [...old, added]);
    deepStrictEqual(linksIn((await checkLines(folder, 'HEAD~1', 'HEAD')).findings), [added]);
  });
});
