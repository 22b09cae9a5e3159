// A window that types: writes one draft after the other as fast as the disk takes them and prints the number of each
// that is kept. `fill` stops at the first that is refused, prints its code and what comes back then.
import { systemClock as clock } from '../../../../src/base/async';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { DraftFiles } from '../../../../src/jobs/store/drafts';
import { textOf } from './draftText';

const [root = '', writer = '', mode = 'loop', first = '0'] = process.argv.slice(2);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const files = new DraftFiles({ root, writer, clock, log });

if (mode === 'loop') {
  const drafts = new Drafts({ files, clock, log, tell: () => undefined });
  await drafts.open('t');
  for (let number = Number(first); ; number++) {
    drafts.type('t', textOf(number));
    await drafts.flush('t');
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
      await files.write('t', 'x'.repeat(length));
      kept = 'x'.repeat(length);
    } catch (error) {
      const after = await files.newest('t');
      const { code } = error as NodeJS.ErrnoException;
      process.stdout.write(JSON.stringify({ code, whole: after?.text === kept, length: kept.length }));
      return;
    }
  }
}
