import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { commands, FileSystemError, Uri, window } from 'vscode';
import { KeyedQueue } from '../../../src/base/async';
import { sendFromPage } from '../../../src/extension/features/job-page/sendFromPage';
import { ComposerDrafts } from '../../../src/extension/features/prompt/composer/composerDrafts';
import { ComposerFiles } from '../../../src/extension/features/prompt/composer/composerFiles';
import {
  composerAddress,
  composerDraft,
  type ComposerTarget,
} from '../../../src/extension/features/prompt/composer/composerTarget';
import { PromptAutoSave } from '../../../src/extension/features/prompt/composer/promptAutoSave';
import { PromptDocuments } from '../../../src/extension/features/prompt/composer/promptDocuments';
import { Drafts, followUpDraft } from '../../../src/extension/sending/drafts';
import { MemoryDrafts } from '../../component/extension/prompt/memoryDrafts';
import { ManualClock } from '../../support/manualClock';
import { trackedJob } from '../../support/trackedJob';
import { activatedApi } from './support';

const nothing = (): undefined => undefined;
const log = { info: nothing, warn: nothing, error: nothing };
const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
const TARGET: ComposerTarget = { kind: 'new', service: 'https://docs.example', projectId: 'full disk' };

describe('a draft while the disk is full', () => {
  let files: MemoryDrafts;
  let drafts: Drafts;

  before(activatedApi);
  beforeEach(() => {
    files = new MemoryDrafts();
    drafts = new Drafts({ files, clock: new ManualClock(), log, tell: nothing });
    files.failure = FULL;
  });
  after(() => commands.executeCommand('workbench.action.closeAllEditors'));

  it('stays unsaved in its document', async () => {
    const saved = new ComposerFiles(drafts, nothing).writeFile(
      Uri.from(composerAddress(TARGET, 'Full')),
      Buffer.from('text'),
    );
    await rejects(saved, (error) => error instanceof FileSystemError && error.code === 'Unavailable');
    strictEqual(await drafts.peek(composerDraft(TARGET)), 'text');
  });

  it('is kept once in memory and reported as unsaved, however often it is opened in the editor', async () => {
    const begun = new ComposerDrafts(drafts, () => 'another');
    const facts = { jobOf: nothing, choose: nothing, nameOf: () => 'full disk' } as never;
    const documents = new PromptDocuments({ drafts, begun, facts, turns: new KeyedQueue() });
    await rejects(documents.openFor(TARGET, 'text'), FULL);
    await rejects(documents.openFor(TARGET, 'text'), FULL);
    deepStrictEqual([window.activeTextEditor?.document.getText(), (await begun.of(TARGET)).length], ['text', 1]);
    files.failure = undefined;
    await documents.openFor(TARGET, 'text');
    deepStrictEqual(files.texts, ['text']);
  });

  it('stays on the job page when the editor could not save it', async () => {
    const job = trackedJob();
    const composer = { openForJob: () => Promise.reject(FULL) };
    const guard = { ask: async () => ({ look: [] }) };
    const options = { drafts, guard, composer, log } as never;
    const sent = await sendFromPage(options, job, { text: 'text' });
    strictEqual(sent.kept ? undefined : /disk is full/.exec(sent.why ?? '')?.[0], 'disk is full');
    strictEqual(await drafts.peek(followUpDraft(job.key)), 'text');
  });

  it('is not saved again after each pause, because the editor would report each failure', async () => {
    let saves = 0;
    const document = { uri: Uri.from(composerAddress(TARGET, 'Paused')), version: 1, save: async () => ++saves };
    const failing = { isFailing: true };
    const paused = new PromptAutoSave({ drafts: failing, log });
    for (const isFailing of [true, false]) {
      failing.isFailing = isFailing;
      paused.later(document as never);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    paused.dispose();
    strictEqual(saves, 1);
  });
});
