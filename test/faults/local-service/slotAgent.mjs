// A scripted agent whose work can be traced: it adds words to numbered slots of pages, and never removes one. It reads
// a prompt from standard input and does what its newest message says:
//
//   [add WORD to N of FILE]   adds the word to “Slot N:” of the file
//   [write N bytes to FILE]   fills the file; 0 removes it
//   [put TEXT in FILE]        replaces the file
//   [resolve]                 first resolves conflicts in pages: each slot gets the words of both sides
//   [wait FILE]               then writes the file and never ends
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const text = readFileSync(0, 'utf8');
const message = text.slice(Math.max(0, text.lastIndexOf('--- New message ---\n')));

if (message.includes('[resolve]')) {
  globSync('docs/*.md').forEach(resolve);
}
for (const [, word, slot, file] of message.matchAll(/\[add (\w+) to (\d) of ([\w./-]+)\]/g)) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(`Slot ${slot}:`));
  lines[at] += ` ${word}`;
  writeFileSync(file, lines.join('\n'));
}
for (const [, bytes, file] of message.matchAll(/\[write (\d+) bytes to ([\w./-]+)\]/g)) {
  if (bytes === '0') {
    rmSync(file, { force: true });
  } else {
    writeFileSync(file, 'Long page.\n'.repeat(Number(bytes) / 11));
  }
}
for (const [, content, file] of message.matchAll(/\[put ([\w-]+) in ([\w./-]+)\]/g)) {
  writeFileSync(file, `${content}\n`);
}
console.log('done');
for (const [, file] of message.matchAll(/\[wait ([^\]]+)\]/g)) {
  writeFileSync(file, '');
  setInterval(() => undefined, 1000);
}

function resolve(file) {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (!/^<{7}/m.test(before)) {
    return;
  }
  const slots = new Map();
  for (const [, slot, words] of before.matchAll(/^Slot (\d):(.*)$/gm)) {
    slots.set(slot, new Set([...(slots.get(slot) ?? []), ...words.split(' ').filter((word) => word !== '')]));
  }
  const heading = before.split('\n', 1)[0];
  const lines = [...slots]
    .sort()
    .map(([slot, words]) => `Slot ${slot}:${[...words].map((word) => ` ${word}`).join('')}`);
  writeFileSync(file, `${heading}\n\n${lines.join('\n\n\n\n\n')}\n`);
}
