import assert from 'node:assert/strict';
import { ComposerDrafts } from '../../../../src/extension/features/prompt/composer/composerDrafts';
import {
  composerAddress,
  composerDraft,
  type ComposerTarget,
  parseTarget,
  readDraftName,
} from '../../../../src/extension/features/prompt/composer/composerTarget';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { ManualClock } from '../../../support/manualClock';
import { HeardLog } from '../../jobs/store/recordsOnDisk';
import { MemoryDrafts } from './memoryDrafts';

const PROJECT: ComposerTarget = { kind: 'new', service: 'local', projectId: '1f', projectName: 'handbook' };
const JOB: ComposerTarget = { kind: 'followUp', jobKey: 'k1' };

describe('ComposerDrafts', () => {
  let drafts: Drafts;
  let begun: ComposerDrafts;
  let ids: number;

  beforeEach(() => {
    drafts = new Drafts({
      files: new MemoryDrafts(),
      clock: new ManualClock(),
      log: new HeardLog(),
      tell: () => undefined,
    });
    ids = 0;
    begun = new ComposerDrafts(drafts, () => `id${++ids}`);
  });

  const type = async (target: ComposerTarget, text: string): Promise<void> => {
    drafts.type(composerDraft(target), text);
    await drafts.flush(composerDraft(target));
  };

  it('keeps several drafts for the same project so that no text is overwritten', async () => {
    const first = await begun.empty(PROJECT);
    assert.equal(composerDraft(first), 'compose new local 1f');
    await type(first, 'An hour ago');
    const second = await begun.empty(PROJECT);
    assert.notEqual(composerDraft(second), composerDraft(first));
    await type(second, 'My changes');
    const third = await begun.empty(second);
    await type(third, 'A page');
    assert.deepEqual(
      (await begun.of(PROJECT)).map(({ text, number, target }) => [text, number, composerDraft(target)]),
      [
        ['A page', 3, composerDraft(third)],
        ['My changes', 2, composerDraft(second)],
        ['An hour ago', 1, composerDraft(first)],
      ],
    );
    assert.deepEqual((await begun.of(third)).length, 3);
  });

  it('reuses the first place once its draft was sent', async () => {
    await type(PROJECT, 'One');
    await type(await begun.empty(PROJECT), 'Two');
    await drafts.drop(composerDraft(PROJECT));
    assert.equal(composerDraft(await begun.empty(PROJECT)), composerDraft(PROJECT));
    assert.deepEqual(
      (await begun.of(PROJECT)).map(({ text }) => text),
      ['Two'],
    );
  });

  it('separates drafts by project, service and job', async () => {
    const others: ComposerTarget[] = [
      { kind: 'new', service: 'https://docs.example', projectId: '1f' },
      { kind: 'new', service: 'local', projectId: '1f 2' },
      JOB,
      { kind: 'followUp', jobKey: 'k2' },
    ];
    for (const target of [PROJECT, ...others]) {
      await type(target, 'text');
      await type(await begun.empty(target), 'more');
    }
    drafts.type('follow-up k1', 'in the box');
    for (const target of [PROJECT, ...others]) {
      assert.equal((await begun.of(target)).length, 2, composerDraft(target));
    }
    assert.deepEqual((await begun.list([PROJECT, JOB])).map(({ number }) => number).toSorted(), [1, 1, 2, 2]);
  });

  it('restores a draft from its URI after a reload and rejects invalid ones', () => {
    for (const target of [PROJECT, JOB, { ...PROJECT, draft: 'id1' }, { ...JOB, draft: 'id2' }]) {
      assert.deepEqual(parseTarget(JSON.parse(composerAddress(target, 'x').query)), target);
    }
    for (const draft of ['', 'a b', 'x'.repeat(65), 7, null, '../x']) {
      assert.equal(parseTarget({ ...PROJECT, draft }), undefined);
    }
    assert.deepEqual(readDraftName('compose#id1 new local 1f'), { draft: 'id1', first: 'compose new local 1f' });
    assert.deepEqual(readDraftName('compose new local a\n#b'), { draft: undefined, first: 'compose new local a\n#b' });
    assert.equal(readDraftName('follow-up k1'), undefined);
  });
});
