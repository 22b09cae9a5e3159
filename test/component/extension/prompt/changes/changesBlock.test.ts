import { strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeSource } from '../../../../../src/extension/features/prompt/changes/changeSource';
import { type ChangeFacts, changesBlock } from '../../../../../src/extension/features/prompt/changes/collectChanges';
import type { ChangedFile, Changes } from '../../../../../src/prompt/changesText';
import { renderBlock } from '../../../../../src/prompt/contextBlock';

const base = '1'.repeat(40);
const head = '2'.repeat(40);
const small: ChangedFile = { path: 'src/retry.ts', status: 'M', added: 1, deleted: 1 };
const large: ChangedFile = { path: 'src/große Tabelle.ts', status: 'A', added: 900, deleted: 0 };
const moved: ChangedFile = { path: 'docs/new.md', from: 'docs/old.md', status: 'R', added: 0, deleted: 0 };
const image: ChangedFile = { path: 'logo.png', status: 'M', added: null, deleted: null, hidden: 'binary' };
const changes: Changes = {
  files: [small, large, moved, image],
  more: { files: 1834, added: 40_000, deleted: 12 },
  patches: [
    {
      file: small,
      lines: ['diff --git a/src/retry.ts b/src/retry.ts', '@@ -1 +1 @@', '-return 3;', '+return 5; // ```'],
      shown: 2,
      isCut: false,
    },
    { file: large, lines: ['diff --git a/x b/x', '@@ -0,0 +1,900 @@', '+row 1', '+row 2'], shown: 2, isCut: true },
  ],
};
const repository = {
  branch: 'retries',
  head,
  pushed: base,
  remoteName: 'origin',
  remote: { origin: 'https://github.com', host: 'github.com', repository: 'acme/app', forge: 'github' as const },
};
const facts: ChangeFacts = {
  name: 'app',
  repository,
  isBasePushed: true,
  isHeadPushed: false,
  isLocal: false,
  unsaved: 0,
};
const source: ChangeSource = { kind: 'workingTree', args: [], withUntracked: true, base, head: undefined };

const EXAMPLES: Record<string, [ChangeSource, ChangeFacts, Changes]> = {
  changesOfWorkingTree: [source, { ...facts, unsaved: 2 }, changes],
  changesOfBranch: [{ ...source, kind: 'branch', head, baseName: 'origin/main' }, facts, changes],
  changesOfCommit: [
    { ...source, kind: 'commit', head },
    { ...facts, isHeadPushed: true },
    { ...changes, preface: `commit ${head}\n\n    Retry five times` },
  ],
};

// Run with DOCS_AGENT_WRITE_GOLDEN=1 to rewrite the golden files, then review the changes.
describe('golden files of changes', () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    it(`match the rendered block: ${name}`, async () => {
      const [from, known, read] = example;
      const file = join(import.meta.dirname, '../../../prompt/golden', `${name}.md`);
      const rendered = `${renderBlock(changesBlock(from, read, known))}\n`;
      if (process.env['DOCS_AGENT_WRITE_GOLDEN'] === '1') {
        await writeFile(file, rendered);
      }
      strictEqual(await readFile(file, 'utf8'), rendered);
    });
  }
});
