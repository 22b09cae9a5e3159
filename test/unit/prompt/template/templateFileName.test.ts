import { equal, match, notEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { templateFileName } from '../../../../src/prompt/template/templateFileName';

describe('the file name of a template', () => {
  it('is its words', () => {
    equal(templateFileName('Document an endpoint'), 'document-an-endpoint.md');
    equal(templateFileName(' Größe: 3 Bilder… '), 'größe-3-bilder.md');
    equal(templateFileName('../../etc/passwd'), 'etc-passwd.md');
    equal(templateFileName('a'.repeat(59) + ' bc'), `${'a'.repeat(59)}.md`);
  });

  it('is none when there are no words', () => {
    equal(templateFileName(''), undefined);
    equal(templateFileName(' … - '), undefined);
  });

  it('is never that of a device of Windows', () => {
    for (const name of ['con', 'PRN', 'Aux', 'nul', 'COM1', 'com0', 'LPT9', 'com¹', ' NUL. ', 'con?']) {
      match(templateFileName(name) ?? '', /^[a-z]{3}.?-template\.md$/, name);
    }
    equal(templateFileName('Console'), 'console.md');
    equal(templateFileName('con man'), 'con-man.md');
    equal(templateFileName('com10'), 'com10.md');
  });

  it('is a name on every system, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (typed) => {
        const name = templateFileName(typed);
        if (name !== undefined) {
          match(name, /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}-]*\.md$/u);
          notEqual(name.at(-4), '-');
          equal(Buffer.byteLength(name) <= 255, true);
        }
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
