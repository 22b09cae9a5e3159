import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { sayFinding, sayInMarkdown } from '../../../src/checks/describe';
import { brokenLink, goneName, SAMPLE_FINDINGS } from '../../support/findings';

const plain = (text: string): string => text;

describe('a finding in words', () => {
  it('says what is wrong, since when, and what is right instead', () => {
    deepStrictEqual(
      SAMPLE_FINDINGS.map((finding) => sayFinding(finding, (text) => text.replace(/\s+/g, ' '))),
      [
        '“--retry\u200b-`max`” was not found in the code.',
        '“attempts” is no longer in the code. Probably replaced by “maxAttempts”. Removed in 0123456789 (“Rename the retry options”).',
        'The link “x.md” doesn’t lead to a file.',
        'The link “a.md#x” leads to a page without this heading.',
        'The image “x.png” doesn’t exist.',
        'This block isn’t valid JSON: Unexpected end',
        'The default of “retries” is 3, not 5. Changed in 0123456789 (“Rename the retry options”).',
        '“attempts” is no longer in the code.',
        '“retryMax” isn’t in the code, its history, or its dependencies.',
        'The link “old.md” doesn’t lead to a file. Probably replaced by “docs/new.md”. Removed in 0123456789 (“Rename the retry options”).',
      ],
    );
  });

  it('says when it isn’t certain', () => {
    strictEqual(
      sayFinding(brokenLink({ certainty: 'likely' }), plain),
      'The link “x.md” doesn’t lead to a file. This isn’t certain.',
    );
  });

  it('has foreign text in code font instead of quotation marks in Markdown', () => {
    strictEqual(
      sayInMarkdown(goneName({ name: '{successor}' }), (text) => `\`${text}\``),
      '`{successor}` is no longer in the code. Probably replaced by `maxAttempts`. Removed in `0123456789` (`Rename the retry options`).',
    );
  });
});
