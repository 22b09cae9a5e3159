import fc from 'fast-check';

/** Texts of any characters, often with characters that could end a code fence. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('`', '```', '\n```\n', '````js\n', '\n', '\r\n', '~~~', '    ```', '\t', '\n   `````   \n', '\0'),
    ),
  )
  .map((pieces) => pieces.join(''));

/** Any name that a file or a symbol can have. */
export const anyName = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('`', '``', '/', ' ', '\n', '*', '[a](b)', '<b>')))
  .map((pieces) => pieces.join(''))
  .filter((name) => name.trim() !== '');
