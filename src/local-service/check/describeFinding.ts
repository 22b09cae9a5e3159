import type { CommitInfo, Coverage, Finding, NotCheckedReason } from '../../checks/finding';

/** One sentence about a finding, in English, for a terminal and for SARIF. */
export function describeFinding(finding: Finding): string {
  switch (finding.rule) {
    case 'gone-name': {
      const { name, evidence, successor } = finding;
      const by = evidence === null ? '' : ` It was removed by ${commitWords(evidence.commit)}.`;
      return `“${name}” is no longer in the code.${by}${successor === null ? '' : ` Perhaps “${successor}”?`}`;
    }
    case 'changed-default': {
      const { name, documented, current, evidence } = finding;
      return `The default of “${name}” is “${current}”, no longer “${documented}”. It was changed by ${commitWords(evidence.commit)}.`;
    }
    case 'unknown-name':
      return finding.certainty === 'certain'
        ? `“${finding.name}” is nowhere in the code, its history, or the types of its dependencies.`
        : `“${finding.name}” was not found in the code. Not all of the history and dependencies could be searched.`;
    case 'broken-link':
      return finding.problem === 'file'
        ? `The link “${finding.target}” leads nowhere: there is no such file.`
        : `The link “${finding.target}” leads to a page without this heading.`;
    case 'missing-image':
      return `The image “${finding.target}” doesn’t exist.`;
    case 'invalid-code':
      return `This ${finding.language} isn’t valid: ${finding.message}`;
  }
}

function commitWords({ commit, subject }: CommitInfo): string {
  return `${commit.slice(0, 10)} (${subject.slice(0, 100)})`;
}

const REASONS: Readonly<Record<NotCheckedReason, string>> = {
  shallow: 'pages: the clone has no full history (fetch it with “git fetch --unshallow”)',
  time: 'files: time ran out',
  commits: 'commits: the history is too long or incomplete',
  files: 'files: there are too many',
  size: 'pages: they are too long',
  'not-utf8': 'pages: they aren’t UTF-8',
  submodule: 'submodules',
};

export function describeCoverage({ pages, leftOut, names, links, defaults, notChecked }: Coverage): string {
  const checked = [counted(names, 'name'), counted(links, 'link'), counted(defaults, 'default')];
  const missing = [
    ...(leftOut === 0 ? [] : [`${counted(leftOut, 'page')} about the past, such as changelogs`]),
    ...notChecked.map(({ reason, count }) => `${count} ${REASONS[reason]}`),
  ];
  return [
    `Checked ${LIST.format(checked)} on ${counted(pages, 'page')}.`,
    ...(missing.length === 0 ? [] : [`Not checked: ${missing.join('; ')}.`]),
  ].join(' ');
}

const LIST = new Intl.ListFormat('en');

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
