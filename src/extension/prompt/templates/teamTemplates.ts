import * as vscode from 'vscode';
import type { Logger } from '../../../shared/util/logger';
import { headerFlaw } from './headerWords';
import type { PromptTemplate } from './promptTemplate';
import { FILES_LIMIT, TEMPLATE_LIMIT, templateFiles, templateFolder } from './templateFolder';

export interface TeamTemplates {
  templates: readonly PromptTemplate[];
  /** Files that wait until the user trusts the workspace. */
  waiting: number;
  /** Files that could not be read and why, a sentence each. */
  refused: readonly string[];
}

/** Reads the templates of all folders of the workspace as they are now; none before the workspace is trusted. */
export async function readTeamTemplates(log: Logger): Promise<TeamTemplates> {
  const folders = await Promise.all((vscode.workspace.workspaceFolders ?? []).map((folder) => readFolder(folder, log)));
  return {
    templates: folders.flatMap(({ templates }) => templates),
    waiting: folders.reduce((sum, { waiting }) => sum + waiting, 0),
    refused: folders.flatMap(({ refused }) => refused),
  };
}

async function readFolder(folder: vscode.WorkspaceFolder, log: Logger): Promise<TeamTemplates> {
  let files: [string, vscode.FileType][];
  try {
    files = await templateFiles(folder);
  } catch (error) {
    log.warn(`the prompt templates of ${folder.name} can’t be listed`, error);
    return {
      templates: [],
      waiting: 0,
      refused: [
        vscode.l10n.t('The team’s templates of {0} can’t be listed. Check that their folder may be read.', folder.name),
      ],
    };
  }
  if (!vscode.workspace.isTrusted) {
    return { templates: [], waiting: files.length, refused: [] };
  }
  const read = await Promise.all(files.slice(0, FILES_LIMIT).map(([name, type]) => readFile(folder, name, type, log)));
  const tooMany =
    files.length > FILES_LIMIT ? [vscode.l10n.t('Only the first {0} templates are shown.', FILES_LIMIT)] : [];
  return {
    templates: read.filter((each) => typeof each !== 'string'),
    waiting: 0,
    refused: [...read.filter((each) => typeof each === 'string'), ...tooMany],
  };
}

/** The template, or why there is none. */
async function readFile(
  folder: vscode.WorkspaceFolder,
  file: string,
  type: vscode.FileType,
  log: Logger,
): Promise<PromptTemplate | string> {
  const uri = vscode.Uri.joinPath(templateFolder(folder), file);
  // A link may lead to any file of this machine.
  if (type !== vscode.FileType.File) {
    return vscode.l10n.t('The template {0} is a link and is not read. Put a file in its place.', file);
  }
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > TEMPLATE_LIMIT) {
      return vscode.l10n.t(
        'The template {0} is larger than {1} KB and is not read. Shorten it.',
        file,
        TEMPLATE_LIMIT / 1024,
      );
    }
    const { readFrontMatter } = await import('../../../prompt/template/frontMatter');
    const source = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)).replaceAll('\r\n', '\n');
    const { name, description, bodyStart, problems } = readFrontMatter(source);
    const text = source.slice(bodyStart).trim();
    if (text === '') {
      return vscode.l10n.t('The template {0} holds no text. Write one, or delete the file.', file);
    }
    const flaw = problems.map((problem) => headerFlaw(problem)).find((words) => words !== undefined);
    return { source: 'team', name: name ?? file.replace(/\.md$/i, ''), description, text, uri, flaw };
  } catch (error) {
    log.warn(`the prompt template ${file} can’t be read`, error);
    return vscode.l10n.t('The template {0} can’t be read. Check that its file may be read.', file);
  }
}
