import { fillIn } from '../base/text';
import { COVERAGE_TEXTS } from './describe';
import type { Coverage } from './finding';

export function describeCoverage({ pages, leftOut, names, links, defaults, notChecked }: Coverage): string {
  const checked = [counted(names, 'name'), counted(links, 'link'), counted(defaults, 'default')];
  return [
    `Checked ${LIST.format(checked)} on ${counted(pages, 'page')}.`,
    ...(leftOut === 0 ? [] : [`Left out: ${counted(leftOut, 'page')} about the past, such as changelogs.`]),
    ...notChecked.map(({ reason, count }) => fillIn(COVERAGE_TEXTS[reason], { count })),
  ].join(' ');
}

const LIST = new Intl.ListFormat('en');

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
