import type { Figure } from './scale';

/** `docs/reliability.md` as Markdown: one row for each promise that was tested. */
export function reliabilityPage(figures: readonly Figure[], day: string, seed: number): string {
  const rows = figures
    .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
    .map(({ promise, what, figure }) => `| ${promise} | ${what} | ${figure} |`);
  return `# Reliability

What the extension and the local service promise, how often each promise was tried, and what was found. L means *lose
nothing*, C *be a good client*, S *let no one in*.

\`npm test\` tries a share of this on every run. \`npm run test:long\` runs all of it, which takes hours, and writes this page.

${day}, seed ${seed}.

| Promise | Tried | Found |
| --- | --- | --- |
${rows.join('\n')}
`;
}
