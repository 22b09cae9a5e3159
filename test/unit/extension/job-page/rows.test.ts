import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Entry } from '../../../../src/extension/features/job-page/model';
import { foldRows, rowsOf } from '../../../../src/extension/features/job-page/page/rows';

const entry = (at: number, kind: Entry['kind'] = 'pollFailed', text = 'No answer.'): Entry => ({
  ...{ id: `${kind} ${at}`, at, kind, tone: 'plain', title: kind, text },
});

describe('job timeline rows', () => {
  it('combine consecutive failed polls with the same reason', () => {
    const entries = [
      entry(0, 'prompt'),
      entry(1),
      entry(2),
      entry(3, 'pollFailed', 'Limit.'),
      entry(4, 'state'),
      entry(5),
    ];
    const rows = rowsOf({ from: 0, to: 9, spans: [], entries });
    deepStrictEqual(
      rows.map((row) => (row.kind === 'polls' ? row.polls.length : row.key)),
      ['prompt 0', 2, 1, 'state 4', 1],
    );
  });

  it('show idle time between the entries, after the end of the previous run', () => {
    const spans = [{ kind: 'idle' as const, from: 4, to: 8, text: 'Idle' }];
    const rows = rowsOf({
      from: 0,
      to: 9,
      spans,
      entries: [entry(0, 'prompt'), entry(4, 'state'), entry(8, 'followUp')],
    });
    deepStrictEqual(
      rows.map(({ kind }) => kind),
      ['entry', 'entry', 'idle', 'entry'],
    );
  });

  it('fold the middle of a long list and keep the prompt visible', () => {
    const entries = Array.from({ length: 40 }, (_, index) => entry(index, 'followUp'));
    const rows = rowsOf({ from: 0, to: 40, spans: [], entries });
    const { first, folded, last } = foldRows(rows);
    deepStrictEqual([...first, ...folded, ...last], rows);
    strictEqual(first[0]?.key, 'followUp 0');
    strictEqual(last.at(-1)?.key, 'followUp 39');
    strictEqual(foldRows(rows.slice(0, 14)).folded.length, 0);
  });
});
