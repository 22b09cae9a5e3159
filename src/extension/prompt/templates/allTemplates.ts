import type { Logger } from '../../../shared/util/logger';
import type { PromptTemplate } from './promptTemplate';
import { readTemplatesOfSettings } from './settingTemplates';
import { readTeamTemplates } from './teamTemplates';

export interface AllTemplates {
  /** In the order in which one of several with the same name is taken. */
  templates: readonly PromptTemplate[];
  /** Files that wait until the user trusts the workspace. */
  waiting: number;
  /** What could not be read and why, a sentence each. */
  refused: readonly string[];
}

/** Every template as it is now: files and settings are read each time. */
export async function readAllTemplates(log: Logger): Promise<AllTemplates> {
  const team = await readTeamTemplates(log);
  const own = readTemplatesOfSettings();
  const bySource = own.templates.toSorted((a, b) => Number(b.source === 'yours') - Number(a.source === 'yours'));
  return {
    templates: [...team.templates, ...bySource],
    waiting: team.waiting,
    refused: [...team.refused, ...own.refused],
  };
}
