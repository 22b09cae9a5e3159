import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { redactFindings } from '../../../prompt/secrets/findSecrets';
import { kindName } from '../../../prompt/secrets/secret';
import type { Job } from '../../api';
import type { ApiKeys } from '../../platform/apiKeys';
import { readExport, readJobNames } from '../../platform/commandArguments';
import { safeLink } from '../../platform/pullRequestLink';
import { toLabel, toNotice } from '../../platform/sanitize';
import { toApiJob } from '../../presentation/apiJob';
import type { JobPicker } from '../../presentation/jobPicker';
import type { JobDescriber } from '../../presentation/describeJob';
import { jobTitle, projectLabel } from '../../presentation/jobText';
import type { SecretFinder } from '../../sending/sendGuard';
import { arrange } from './jobList';
import type { ListState } from './listState';

type Format = 'json' | 'markdown';

export interface ExportJobsOptions {
  store: JobStore;
  list: ListState;
  picker: JobPicker;
  describer: JobDescriber;
  finder: SecretFinder;
  keys: ApiKeys;
}

/**
 * Writes the jobs of the given rows, or all jobs that the list shows, to a file. Returns its URI; undefined when
 * cancelled.
 */
export async function exportJobs(options: ExportJobsOptions, argument: unknown): Promise<string | undefined> {
  const given = readExport(argument);
  const jobs = chosen(options, argument);
  if (jobs.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There are no jobs to export. Clear the filter or send a job first.'),
    );
    return undefined;
  }
  const uri = given?.uri === undefined ? await askWhere(given?.format) : vscode.Uri.parse(given.uri, true);
  if (uri === undefined) {
    return undefined;
  }
  const format = given?.format ?? (/\.(md|markdown)$/i.test(uri.path) ? 'markdown' : 'json');
  const text = await documentOf(options, jobs, format);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  if (given?.uri === undefined) {
    void tellWritten(uri, jobs.length);
  }
  return uri.toString();
}

/** The named rows, otherwise the list as it is grouped, sorted and filtered. */
function chosen({ store, list, picker, describer }: ExportJobsOptions, argument: unknown): TrackedJob[] {
  const named = readJobNames(argument);
  if (named.length > 0) {
    return named.map((name) => picker.byName(name)).filter((job) => job !== undefined);
  }
  return arrange(store.jobs, list.options, jobTitle, {
    summarize: (job) => describer.summarize(job),
    isOther: () => false,
  }).sections.flatMap(({ jobs }) => jobs);
}

async function documentOf(options: ExportJobsOptions, jobs: readonly TrackedJob[], format: Format): Promise<string> {
  const clean = await withoutSecrets(
    options,
    jobs.map((job) => toApiJob(job)),
  );
  if (format === 'json') {
    return jobsJson(clean, Date.now());
  }
  const head = [
    vscode.l10n.t('Job'),
    vscode.l10n.t('Status'),
    vscode.l10n.t('Project'),
    vscode.l10n.t('Pull request'),
    vscode.l10n.t('Created'),
    vscode.l10n.t('Changed'),
    vscode.l10n.t('ID'),
  ];
  const rows = jobs.map((job, index) => {
    const { title = '', prLink = null, createdAt = '', updatedAt = '', id = '' } = clean[index] ?? {};
    return [
      title,
      options.describer.describe(job).label,
      projectLabel(job),
      { address: prLink },
      createdAt,
      updatedAt,
      id,
    ];
  });
  return markdownTable(head, options.keys.redactDeep(rows));
}

/** A title is the first line of a prompt, and an error is text from the service: either may contain secrets. */
async function withoutSecrets({ finder, keys }: ExportJobsOptions, jobs: readonly Job[]): Promise<Job[]> {
  const texts = jobs.flatMap(({ title, error = '' }) => [title, error]);
  const found = await finder.findEach(texts);
  const safe = texts.map((text, index) => redactFindings(text, found[index] ?? [], kindName));
  return jobs.map((job, index) =>
    keys.redactDeep({
      ...job,
      title: safe[2 * index] ?? '',
      ...(job.error === undefined ? {} : { error: safe[2 * index + 1] ?? '' }),
    }),
  );
}

async function askWhere(format: Format | undefined): Promise<vscode.Uri | undefined> {
  const json = { JSON: ['json'] };
  const markdown = { Markdown: ['md'] };
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = format === 'markdown' ? 'docs-agent-jobs.md' : 'docs-agent-jobs.json';
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export jobs as JSON or Markdown'),
    saveLabel: vscode.l10n.t('Export'),
    filters: format === 'json' ? json : format === 'markdown' ? markdown : { ...json, ...markdown },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
}

async function tellWritten(uri: vscode.Uri, count: number): Promise<void> {
  const open = vscode.l10n.t('Open File');
  const name = toNotice(uri.path.split('/').at(-1) ?? '', 80);
  const text =
    count === 1
      ? vscode.l10n.t(
          'Exported 1 job to {0}. Its name is included (the first line of its prompt, unless you renamed it), but no other prompt text.',
          name,
        )
      : vscode.l10n.t(
          'Exported {0} jobs to {1}. Their names are included (the first lines of their prompts, unless you renamed them), but no other prompt text.',
          count,
          name,
        );
  if ((await vscode.window.showInformationMessage(text, open)) === open) {
    await vscode.window.showTextDocument(uri);
  }
}

/** The content of a file of exported jobs. Later versions add fields or increment `version`. */
export interface JobsDocument {
  format: 'docs-agent-jobs';
  version: 1;
  /** ISO 8601. */
  exportedAt: string;
  /** In the order of the list. Without the prompts, which can contain code and private information. */
  jobs: readonly Job[];
}

/** @param at wall time in milliseconds */
export function jobsJson(jobs: readonly Job[], at: number): string {
  const document: JobsDocument = {
    format: 'docs-agent-jobs',
    version: 1,
    exportedAt: new Date(at).toISOString(),
    jobs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A cell of text, or the address of a pull request. */
export type Cell = string | { address: string | null };

/** A GitHub-flavored table. Text in it can't become markup or a link. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head.map(cellText)) + line(head.map(() => '---')) + rows.map((row) => line(row.map(cellText))).join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') {
    return toLabel(cell, Infinity).replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
  }
  const url = safeLink(cell.address);
  return url === undefined ? cellText(cell.address ?? '') : `<${url.href.replaceAll('|', '%7C')}>`;
}
