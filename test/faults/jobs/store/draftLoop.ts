// Simulates a window in which the user types: writes one draft after another as fast as the disk allows and prints the
// number of each draft that was saved. `fill` stops at the first draft that is rejected, then prints the error code and
// the draft that is read back.
import { systemClock as clock } from '../../../../src/base/async';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { DraftFiles } from '../../../../src/jobs/store/draftFiles';
import { textOf } from './draftText';

const [root = '', writer = '', mode = 'loop', first = '0'] = process.argv.slice(2);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const files = new DraftFiles({ root, writer, clock, log });

if (mode === 'loop') {
  const drafts = new Drafts({ files, clock, log, tell: () => undefined });
  await drafts.open('local/p/box');
  for (let number = Number(first); ; number++) {
    drafts.type('local/p/box', textOf(number));
    await drafts.flush('local/p/box');
    process.stdout.write(`${number}\n`);
  }
} else {
  await fill();
}

/** Each text is longer than the one before, until the disk is full. */
async function fill(): Promise<void> {
  let kept = '';
  for (let length = 1000; ; length *= 2) {
    try {
      await files.write('local/p/box', 'x'.repeat(length));
      kept = 'x'.repeat(length);
    } catch (error) {
      const after = await files.newest('local/p/box');
      const { code } = error as NodeJS.ErrnoException;
      process.stdout.write(JSON.stringify({ code, whole: after?.text === kept, length: kept.length }));
      return;
    }
  }
}
