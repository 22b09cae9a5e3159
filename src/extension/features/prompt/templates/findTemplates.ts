import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import { readSettingTemplates } from '../../../../prompt/promptTemplate';
import { findLink } from '../../../platform/findLink';
import { settings } from '../../../settings';

/** The folder with a team's templates, in each workspace folder. */
export const TEMPLATE_FOLDER = '.docs-agent/prompts';

/** Maximum size of a template file, in bytes. */
const MAX_TEMPLATE_BYTES = 64 * 1024;

/** Maximum number of files read per folder. */
const MAX_FILES = 200;

/** Where a template comes from: workspace files, the user's settings, or this extension. */
export type TemplateSource = 'team' | 'yours' | 'shipped';

export interface PromptTemplate {
  source: TemplateSource;
  name: string;
  /** The author's description of its purpose. */
  description?: string | undefined;
  text: string;
  /** Its file; undefined for templates from settings. */
  uri?: vscode.Uri | undefined;
  /** What is wrong with its file, as a sentence for the user; the template can still be inserted. */
  flaw?: string | undefined;
}

export interface FoundTemplates {
  /** In order of precedence among templates with the same name. */
  templates: readonly PromptTemplate[];
  /** Number of files that are not read until the user trusts the workspace. */
  waiting: number;
  /** What could not be read and why, one sentence each. */
  refused: readonly string[];
}

export function templateFolder(folder: vscode.WorkspaceFolder): vscode.Uri {
  return vscode.Uri.joinPath(folder.uri, TEMPLATE_FOLDER);
}

/**
 * Why a folder's templates are neither read nor created: a link in the path could lead to any folder on this machine.
 */
export async function refusedLink(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const link = await findLink(folder.uri, TEMPLATE_FOLDER);
  return (
    link &&
    vscode.l10n.t(
      '{0} is a symbolic link. Templates aren’t read from or created in it. Replace it with a folder.',
      link,
    )
  );
}

/** Reads all templates. Not cached: files and settings are read each time. */
export async function findTemplates(log: Logger): Promise<FoundTemplates> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = [...(await Promise.all(folders.map((folder) => readFolder(folder, log)))), readSettings()];
  return {
    templates: found.flatMap(({ templates }) => templates),
    waiting: found.reduce((sum, { waiting }) => sum + waiting, 0),
    refused: found.flatMap(({ refused }) => refused),
  };
}

/** The user's templates, followed by the built-in ones that the user neither overrode nor hid. */
function readSettings(): FoundTemplates {
  const { merged, own } = settings.promptTemplates();
  const { templates, unreadable } = readSettingTemplates(merged);
  const of = (source: 'yours' | 'shipped'): PromptTemplate[] =>
    templates.filter(({ name }) => own.has(name) === (source === 'yours')).map((each) => ({ ...each, source }));
  return {
    templates: [...of('yours'), ...of('shipped')],
    waiting: 0,
    refused: unreadable.map((name) =>
      vscode.l10n.t('The template “{0}” in your settings must be text or a list of lines.', name),
    ),
  };
}

/** The team's templates in a folder; none until the workspace is trusted. */
async function readFolder(folder: vscode.WorkspaceFolder, log: Logger): Promise<FoundTemplates> {
  const link = await refusedLink(folder);
  if (link !== undefined) {
    return { templates: [], waiting: 0, refused: [link] };
  }
  let files: [string, vscode.FileType][];
  try {
    files = await listFiles(folder);
  } catch (error) {
    log.warn(`couldn’t list the prompt templates of ${folder.name}`, error);
    const refused = vscode.l10n.t(
      'Couldn’t list the team templates for {0}. Check the permissions of their folder.',
      folder.name,
    );
    return { templates: [], waiting: 0, refused: [refused] };
  }
  if (!vscode.workspace.isTrusted) {
    return { templates: [], waiting: files.length, refused: [] };
  }
  const read = await Promise.all(files.slice(0, MAX_FILES).map(([name, type]) => readFile(folder, name, type, log)));
  const tooMany = files.length > MAX_FILES ? [vscode.l10n.t('Only the first {0} templates are shown.', MAX_FILES)] : [];
  return {
    templates: read.filter((each) => typeof each !== 'string'),
    waiting: 0,
    refused: [...read.filter((each) => typeof each === 'string'), ...tooMany],
  };
}

/** Sorted by name; empty when the folder does not exist. */
async function listFiles(folder: vscode.WorkspaceFolder): Promise<[string, vscode.FileType][]> {
  let entries: [string, vscode.FileType][];
  try {
    entries = await vscode.workspace.fs.readDirectory(templateFolder(folder));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && ['FileNotFound', 'FileNotADirectory'].includes(error.code)) {
      return [];
    }
    throw error;
  }
  return entries
    .filter(([name, type]) => /\.md$/i.test(name) && (type & vscode.FileType.Directory) === 0)
    .toSorted(([a], [b]) => a.localeCompare(b));
}

/** Returns the template, or why there is none. */
async function readFile(
  folder: vscode.WorkspaceFolder,
  file: string,
  type: vscode.FileType,
  log: Logger,
): Promise<PromptTemplate | string> {
  const uri = vscode.Uri.joinPath(templateFolder(folder), file);
  // A link could lead to any file on this machine.
  if (type !== vscode.FileType.File) {
    return vscode.l10n.t('The template {0} is a symbolic link, which isn’t supported. Replace it with a file.', file);
  }
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_TEMPLATE_BYTES) {
      const limit = MAX_TEMPLATE_BYTES / 1024;
      return vscode.l10n.t('The template {0} is larger than {1} KB. Shorten it.', file, limit);
    }
    const { readFrontMatter } = await import('../../../../prompt/frontMatter');
    const source = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)).replaceAll('\r\n', '\n');
    const { fields, bodyStart, problem } = readFrontMatter(source);
    // Without a second `---`, everything is text.
    const text = source.slice(bodyStart).trim();
    if (text === '') {
      return vscode.l10n.t('The template {0} is empty. Add text, or delete the file.', file);
    }
    const name = textOf(fields['name']) ?? file.replace(/\.md$/i, '');
    const flaw = problem === undefined ? undefined : vscode.l10n.t('Couldn’t read the front matter: {0}.', problem);
    return { source: 'team', name, description: textOf(fields['description']), text, uri, flaw };
  } catch (error) {
    log.warn(`couldn’t read the prompt template ${file}`, error);
    return vscode.l10n.t('Couldn’t read the template {0}. Check its file permissions.', file);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Translates the name or question of a built-in template into the display language. Text sent to the agent stays
 * English, and so does the name by which a setting overrides or hides a template.
 */
export function translateShipped(text: string): string {
  const translations: Readonly<Record<string, string>> = {
    'Document my changes': vscode.l10n.t('Document my changes'),
    'Update this page': vscode.l10n.t('Update this page'),
    'What should change on this page?': vscode.l10n.t('What should change on this page?'),
    'Explain this symbol with an example': vscode.l10n.t('Explain this symbol with an example'),
    'Write a how-to': vscode.l10n.t('Write a how-to'),
    'What should readers be able to do afterward?': vscode.l10n.t('What should readers be able to do afterward?'),
    'Fix outdated content': vscode.l10n.t('Fix outdated content'),
    'Which pages or which part of the product?': vscode.l10n.t('Which pages or which part of the product?'),
    'Release notes from changes': vscode.l10n.t('Release notes from changes'),
    'Which version?': vscode.l10n.t('Which version?'),
  };
  return Object.hasOwn(translations, text) ? (translations[text] ?? text) : text;
}
