import type { Coverage, NotCheckedReason } from '../../checks/finding';

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
