import { deepStrictEqual, match } from 'node:assert/strict';
import { sendFromPage } from '../../../../src/extension/features/job-page/sendFromPage';
import { Drafts, followUpDraft } from '../../../../src/extension/sending/drafts';
import { MemoryDrafts } from '../../../component/extension/prompt/memoryDrafts';
import { ManualClock } from '../../../support/manualClock';
import '../../../support/fakeEditor';
import { trackedJob } from '../../../support/trackedJob';

const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
const ignore = (): undefined => undefined;
const log = { info: ignore, warn: ignore, error: ignore };

describe('sending from the page of a job', () => {
  it('keeps the text when the disk is full and the editor can’t open it either', async () => {
    const files = new MemoryDrafts();
    files.failure = FULL;
    const drafts = new Drafts({ files, clock: new ManualClock(), log, tell: ignore });
    const job = trackedJob();
    const composer = { openForJob: () => Promise.reject(FULL) };
    const guard = { ask: async () => ({ review: [] }) };
    const sent = await sendFromPage({ drafts, guard, composer, log } as never, job, { text: 'text' });
    match(sent.isSaved ? '' : (sent.why ?? ''), /disk is full/);
    deepStrictEqual(await drafts.open(followUpDraft(job.key)), 'text');
  });
});
