import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import { renderBlock } from '../../../../prompt/contextBlock';
import { fillTemplate, openQuestions, type TemplateVariable, variablesOf } from '../../../../prompt/promptTemplate';
import { promptText } from '../../../../prompt/promptText';
import { findLink } from '../../../platform/findLink';
import { firstLine, toNotice, toPickLabel } from '../../../platform/sanitize';
import { section } from '../box/contextInserter';
import { showText } from '../composer/composer';
import { contextKinds } from '../context/contextKinds';
import { filePlace } from '../context/places';
import type { PromptApp } from '../register';

/** The folder with a team's templates, in each workspace folder. */
const TEAM_FOLDER = '.docs-agent/prompts';

/** Larger files are not templates. In bytes. */
const MAX_TEMPLATE_BYTES = 64 * 1024;

const EXAMPLE = 'Document `$file` for $ask{Who reads it?}.\n\n$selection\n\nVerify each statement against the code.\n';

interface Template {
  name: string;
  text: string;
  /** Its file; undefined for a built-in template. */
  uri?: vscode.Uri;
}

/**
 * Inserts a template, with its variables filled in, into the current prompt or into that of a new job. Changes nothing
 * when cancelled.
 *
 * @param name the user picks one if it is undefined
 */
export async function insertTemplate(options: PromptApp, name: string | undefined): Promise<void> {
  const found = await findTemplates(options);
  const named = [...found.team, ...found.yours, ...found.builtIn].find((each) => each.name === name);
  if (name !== undefined && named === undefined) {
    void vscode.window.showWarningMessage(toNotice(vscode.l10n.t('There’s no template “{0}”.', name)));
    return;
  }
  const template = named ?? (await pickTemplate(options, found));
  const values = template && (await valuesOf(options, variablesOf(template.text)));
  if (template === undefined || values === undefined) {
    return;
  }
  const parts = fillTemplate(template.text, values);
  const isPlain = parts.every((part) => typeof part === 'string');
  await options.inserter.add({
    instruction: isPlain ? parts.join('') : snippetOf(parts, template.uri === undefined ? translated : String),
    isAboveContext: true,
    blocks: [],
    refused: [],
    resource: options.lastEditor.current?.document.uri,
  });
}

/** Asks whether to send a prompt with unanswered questions of templates. If not, the first one is selected. */
export async function confirmQuestions(options: PromptApp, document: vscode.TextDocument): Promise<boolean> {
  const { team, yours, builtIn } = await findTemplates(options);
  const prompt = promptText(document.getText());
  const open = [...team, ...yours, ...builtIn].flatMap(({ text, uri }) =>
    openQuestions(text, prompt, uri === undefined ? translated : String),
  );
  const send = vscode.l10n.t('Send Anyway');
  const text = toNotice(vscode.l10n.t('The prompt has unanswered questions: {0}', [...new Set(open)].join(' ')), 400);
  const isSent = open.length === 0 || (await vscode.window.showWarningMessage(text, { modal: true }, send)) === send;
  await (isSent || showText(document, open[0]));
  return isSent;
}

interface FoundTemplates {
  team: Template[];
  yours: Template[];
  builtIn: Template[];
}

/** Reads all templates. Those of the team only in a trusted workspace, and not through a link out of the repository. */
async function findTemplates({ data, extensionUri, log }: PromptApp): Promise<FoundTemplates> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const team = folders.map(async ({ uri }) =>
    (await findLink(uri, TEAM_FOLDER)) === undefined ? readFolder(vscode.Uri.joinPath(uri, TEAM_FOLDER), log) : [],
  );
  const shipped = (await readFolder(vscode.Uri.joinPath(extensionUri, 'media', 'templates'), log)).map(
    ({ name, text }) => ({ name, text }),
  );
  return { team: (await Promise.all(team)).flat(), yours: await readFolder(ownFolder(data), log), builtIn: shipped };
}

function ownFolder(data: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.Uri.file(data), 'templates');
}

/** The Markdown files of a folder, by name; none when the folder does not exist. */
async function readFolder(folder: vscode.Uri, log: Logger): Promise<Template[]> {
  const { fs } = vscode.workspace;
  const entries = await fs.readDirectory(folder).then(
    (found) => found,
    () => [],
  );
  const files = entries.filter(([name, type]) => /\.md$/i.test(name) && type === vscode.FileType.File);
  const read = files.map(async ([file]): Promise<Template[]> => {
    const uri = vscode.Uri.joinPath(folder, file);
    try {
      const isTemplate = (await fs.stat(uri)).size <= MAX_TEMPLATE_BYTES;
      const text = isTemplate
        ? new TextDecoder()
            .decode(await fs.readFile(uri))
            .replaceAll('\r\n', '\n')
            .trim()
        : '';
      return text === '' ? [] : [{ name: file.replace(/\.md$/i, ''), text, uri }];
    } catch (error) {
      log.warn(`couldn’t read the prompt template ${file}`, error);
      return [];
    }
  });
  return (await Promise.all(read)).flat().sort((a, b) => a.name.localeCompare(b.name));
}

/** A row of the picker. `choose` returns the template to insert; other rows return nothing. */
interface Item extends vscode.QuickPickItem {
  uri?: vscode.Uri | undefined;
  choose?: () => Template | undefined | Thenable<undefined>;
}

const OPEN: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('go-to-file'),
  tooltip: vscode.l10n.t('Open File'),
};

/** Undefined when cancelled, or when the user chose to open or create a template. */
async function pickTemplate(options: PromptApp, found: FoundTemplates): Promise<Template | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Insert prompt template');
  pick.placeholder = vscode.l10n.t('Select a template to insert');
  pick.matchOnDetail = true;
  const create = (label: string, folder: vscode.Uri): Item => ({
    label: `$(new-file) ${label}`,
    choose: () => createTemplate(folder, options.composer.active?.getText().trim()),
    alwaysShow: true,
  });
  const trust: Item = {
    label: `$(shield) ${vscode.l10n.t('Trust this workspace to use team templates')}`,
    choose: () => vscode.commands.executeCommand('workbench.trust.manage'),
  };
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const team = folder && vscode.Uri.joinPath(folder.uri, TEAM_FOLDER);
  pick.items = [
    ...section(vscode.l10n.t('from your team'), found.team.map(row)),
    ...section(vscode.l10n.t('yours'), found.yours.map(row)),
    ...section(vscode.l10n.t('built in'), found.builtIn.map(row)),
    ...section('', [create(vscode.l10n.t('New template…'), ownFolder(options.data))]),
    ...(team === undefined
      ? []
      : [vscode.workspace.isTrusted ? create(vscode.l10n.t('New team template…'), team) : trust]),
  ];
  const choose = await new Promise<Item['choose']>((resolve) => {
    pick.onDidTriggerItemButton(({ item: { uri } }) => {
      resolve(uri && (() => vscode.window.showTextDocument(uri).then(() => undefined)));
      pick.hide();
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.choose);
      pick.hide();
    });
    pick.onDidHide(() => {
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
  return choose?.();
}

function row(template: Template): Item {
  const { name, text, uri } = template;
  const buttons = uri === undefined ? [] : [OPEN];
  return {
    label: toPickLabel(translated(name)),
    detail: toPickLabel(firstLine(text)),
    buttons,
    uri,
    choose: () => template,
  };
}

/** Creates a template from the open prompt, or from an example, and opens it. Never overwrites a file. */
async function createTemplate(folder: vscode.Uri, prompt = ''): Promise<undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New template'),
    prompt: vscode.l10n.t('Name the template. It’s a Markdown file that you can edit.'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^[^\\/:*?"<>|.]+$/.test(value.trim()) ? undefined : vscode.l10n.t('Use letters, digits, and spaces.'),
  });
  if (name === undefined) {
    return undefined;
  }
  const uri = vscode.Uri.joinPath(folder, `${name.trim()}.md`);
  const edit = new vscode.WorkspaceEdit();
  // Creates parent folders, too. An existing template is only opened.
  edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(prompt || EXAMPLE) });
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(uri);
  return undefined;
}

/** Questions become snippet placeholders; equal ones are linked. */
function snippetOf(parts: ReturnType<typeof fillTemplate>, translate: (text: string) => string): vscode.SnippetString {
  const snippet = new vscode.SnippetString();
  const questions: string[] = [];
  for (const part of parts) {
    if (typeof part === 'string') {
      snippet.appendText(part);
    } else if (questions.includes(part.question)) {
      snippet.appendTabstop(questions.indexOf(part.question) + 1);
    } else {
      const number = questions.push(part.question);
      snippet.appendPlaceholder((nested) => nested.appendText(translate(part.question)), number);
    }
  }
  return snippet;
}

/** Undefined when a value is missing, after telling the user: a prompt with a gap is of no use. */
async function valuesOf(
  options: PromptApp,
  variables: ReadonlySet<TemplateVariable>,
): Promise<Partial<Record<TemplateVariable, string>> | undefined> {
  const values: Partial<Record<TemplateVariable, string>> = {};
  const file = options.lastEditor.current?.document.uri;
  if (variables.has('file')) {
    if (file === undefined) {
      tellMissing(vscode.l10n.t('Open the file for the prompt first.'));
      return undefined;
    }
    // A path may contain a line break, which would let it inject further lines into the prompt.
    values.file = filePlace(file).path.replace(/\p{Cc}/gu, ' ');
  }
  for (const { name, collect } of contextKinds(options)) {
    if ((name === 'selection' || name === 'changes') && variables.has(name)) {
      const collected = await collect();
      if (collected === undefined || collected.blocks.length === 0) {
        // Undefined: the user cancelled, or has been told.
        tellMissing(collected?.refused.join(' '));
        return undefined;
      }
      values[name] = collected.blocks.map(renderBlock).join('\n\n');
    }
  }
  return values;
}

function tellMissing(why: string | undefined): void {
  if (why !== undefined) {
    void vscode.window.showWarningMessage(toNotice(vscode.l10n.t('{0} Nothing was inserted.', why), 400));
  }
}

/**
 * Translates the name or question of a built-in template into the display language. Text sent to the agent stays
 * English, and so does the name by which a command inserts a template.
 */
function translated(text: string): string {
  const translations: Readonly<Record<string, string>> = {
    'Document my changes': vscode.l10n.t('Document my changes'),
    'Update this page': vscode.l10n.t('Update this page'),
    'What should change on this page?': vscode.l10n.t('What should change on this page?'),
    'Write a how-to': vscode.l10n.t('Write a how-to'),
    'What should readers be able to do afterward?': vscode.l10n.t('What should readers be able to do afterward?'),
  };
  return Object.hasOwn(translations, text) ? (translations[text] ?? text) : text;
}
