import { rejects, strictEqual } from 'node:assert/strict';
import type { Uri } from 'vscode';
import { ComposerFiles } from '../../../../src/extension/features/prompt/composer/composerFiles';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { MemoryDrafts } from '../../../component/extension/prompt/memoryDrafts';
import { editor } from '../../../support/fakeEditor';
import { ManualClock } from '../../../support/manualClock';

const nothing = (): undefined => undefined;
const TARGET = { kind: 'followUp', jobKey: 'j' };
const uri = { scheme: 'docs-agent-prompt', query: JSON.stringify(TARGET), toString: () => 'prompt' } as Uri;

describe('the file of a prompt', () => {
  let drafts: Drafts;
  let files: ComposerFiles;
  let name: string;

  beforeEach(async () => {
    Object.assign(editor, { FileSystemError: { FileNotFound: Error, Unavailable: Error } });
    const log = { info: nothing, warn: nothing, error: nothing };
    drafts = new Drafts({ files: new MemoryDrafts(), clock: new ManualClock(), log, tell: nothing });
    files = new ComposerFiles(drafts, nothing);
    const { composerDraft } = await import('../../../../src/extension/features/prompt/composer/composerTarget');
    name = composerDraft(TARGET as never);
  });

  const textOf = async (): Promise<string> => new TextDecoder().decode(await files.readFile(uri));

  it('has the newest text when it is opened, even if its size was requested before', async () => {
    drafts.type(name, 'older');
    await drafts.flush(name);
    strictEqual((await files.stat(uri)).size, 8);
    drafts.type(name, 'newer text');
    await drafts.flush(name);
    strictEqual(await textOf(), 'newer text');
    strictEqual((await files.stat(uri)).size, 13);
  });

  it('is not saved in another encoding, which would replace what was typed', async () => {
    drafts.type(name, 'für');
    for (const bytes of [Buffer.from('\uFEFFfür', 'utf16le'), Buffer.from('für', 'latin1')]) {
      await rejects(files.writeFile(uri, bytes));
      strictEqual(await drafts.peek(name), 'für');
    }
    await files.writeFile(uri, Buffer.from('\uFEFFgrün'));
    strictEqual(await drafts.peek(name), 'grün');
    strictEqual(await textOf(), 'grün');
  });
});
