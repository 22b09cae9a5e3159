import type { Figure } from './scale';

/** `docs/reliability.md` as Markdown: one row for each promise that was tested. */
export function reliabilityPage(figures: readonly Figure[], day: string, seed: number): string {
  const rows = figures
    .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
    .map(({ promise, what, figure }) => `| ${promise} | ${what} | ${figure} |`);
  return `# Reliability

What the extension and the local service promise, how each promise was tested, and the result. L means *lose nothing*,
C *be a good client*, S *let no one in*.

\`npm test\` runs part of this every time. \`npm run test:long\` runs all of it, which takes hours, and writes this page.

${day}, seed ${seed}.

| Promise | Tested | Result |
| --- | --- | --- |
${rows.join('\n')}
`;
}
