import { deepStrictEqual } from 'node:assert/strict';
import { fillTemplate, variablesOf } from '../../../src/prompt/promptTemplate';

const VALUES = { selection: 'From `a.md`:\n\n$file', changes: 'Diff', file: 'docs/a.md' };

describe('a prompt template', () => {
  for (const [template, expected] of [
    ['Fix `$file` now', ['Fix `docs/a.md` now']],
    ['About: $selection', ['About:\n\nFrom `a.md`:\n\n$file']],
    ['$selection', ['From `a.md`:\n\n$file']],
    ['One\n$selection\n  - two\n', ['One\n\nFrom `a.md`:\n\n$file\n\n  - two']],
    ['$changes $selection.', ['Diff\n\nFrom `a.md`:\n\n$file\n\n.']],
    ['See: $changes $changes', ['See:\n\nDiff\n\nDiff']],
    ['For $ask{Who? }: $ask{Why?}', ['For ', { question: 'Who?' }, ': ', { question: 'Why?' }]],
    ['$changes\n$ask{Who?}', ['Diff\n\n', { question: 'Who?' }]],
    ['$ask{Who?}\n\n$changes', [{ question: 'Who?' }, '\n\nDiff']],
    [
      'Run `echo \\$file \\$ask{x}` for $10, $filename and $ask{}',
      ['Run `echo $file $ask{x}` for $10, $filename and $ask{}'],
    ],
  ] as const) {
    it(`fills in ${JSON.stringify(template)}`, () => deepStrictEqual(fillTemplate(template, VALUES), expected));
  }

  it('names its variables', () => {
    deepStrictEqual([...variablesOf('$file \\$selection $ask{x} $changes$file')], ['file', 'changes']);
  });
});
