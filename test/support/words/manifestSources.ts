// Notes the English text behind each translated text of package.nls.json, so that a test finds a translation that was
// left behind when the English changed under the same key. Run it after the translations were brought up to date:
//
//   node --import tsx test/support/words/manifestSources.ts
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkoutRoot } from '../vscode/paths';
import { type Texts, manifestTexts } from './translations';

const file = join(checkoutRoot, 'test', 'support', 'words', 'manifestSources.json');

/** The mark of each English text by its key: another text has another one. */
export function sourcesNow(): Texts {
  const marks = Object.entries(manifestTexts()).map(([key, english]) => [key, markOf(english)]);
  return Object.fromEntries(marks) as Texts;
}

/** The marks as they were when the translations were made. */
export function sourcesNoted(): Texts {
  return JSON.parse(readFileSync(file, 'utf8')) as Texts;
}

function markOf(english: string): string {
  return createHash('sha256').update(english).digest('hex').slice(0, 8);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(file, `${JSON.stringify(sourcesNow(), null, 2)}\n`);
}
