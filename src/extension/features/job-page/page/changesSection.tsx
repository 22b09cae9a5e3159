import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ActionId, ChangedFile, Changes, FileDiff } from '../model';
import { ChangedText } from './changedText';
import { fill } from '../../../presentation/format';
import { post, useFold, useTools } from './host';

/** How much is shown at first: paragraphs per file, paragraphs in total, and characters in total. */
const FIRST_OF_FILE = 12;
const FIRST = 40;
const FIRST_CHARACTERS = 20_000;

interface ChangesSectionProps {
  changes: Changes;
  diff: readonly FileDiff[];
  /** Whether the job has several runs. */
  isOfAll: boolean;
}

/** What changed: the changed paragraphs of each file. */
export function ChangesSection({ changes, diff, isOfAll }: ChangesSectionProps): JSX.Element {
  const { words, format } = useTools();
  const { files, more, added, deleted, canOpen, reviewAll } = changes;
  const diffs = new Map(diff.map((each) => [each.path, each]));
  const all = files.length + more;
  const count = all === 1 ? words.oneFile : fill(words.files, format.number(all));
  const left = { paragraphs: FIRST, characters: FIRST_CHARACTERS };
  return (
    <section class="changes" aria-labelledby="changes">
      <h2>
        <span id="changes">{isOfAll ? words.changesOfAll : words.changes}</span> <span class="count">{count}</span>{' '}
        <Counts added={added} deleted={deleted} />
      </h2>
      {files.toSorted(byText).map((file) => {
        const own = diffs.get(file.path);
        return <File key={file.path} {...{ file, diff: own, first: takeFirst(own, left), canOpen, reviewAll }} />;
      })}
      {more > 0 ? (
        <p class="note">
          {more === 1 ? words.oneMoreFile : fill(words.moreFiles, format.number(more))}{' '}
          <ReviewAll id={reviewAll} describedBy="changes" />
        </p>
      ) : null}
    </section>
  );
}

/** Files with changed text come first, because pictures and long lists of renamed files would push it out of sight. */
function byText(one: ChangedFile, other: ChangedFile): number {
  const lines = ({ added = 0, deleted = 0 }: ChangedFile): number => added + deleted;
  return Number(lines(other) > 0) - Number(lines(one) > 0);
}

/** The number of a file's paragraphs that are shown at first. */
function takeFirst(diff: FileDiff | undefined, left: { paragraphs: number; characters: number }): number {
  let count = 0;
  for (const paragraph of diff?.paragraphs.slice(0, FIRST_OF_FILE) ?? []) {
    const length = paragraph.reduce((sum, { text }) => sum + text.length, 0);
    if (left.paragraphs === 0 || length > left.characters) {
      break;
    }
    left.paragraphs -= 1;
    left.characters -= length;
    count += 1;
  }
  return count;
}

/** Leads to all changes, in the editor. */
function ReviewAll({ id, describedBy }: { id: ActionId | undefined; describedBy: string }): JSX.Element | null {
  const { words } = useTools();
  return id === undefined ? null : (
    <button type="button" class="link" aria-describedby={describedBy} onClick={() => post({ type: 'action', id })}>
      {words.reviewAll}
    </button>
  );
}

interface FileProps {
  file: ChangedFile;
  diff: FileDiff | undefined;
  first: number;
  canOpen: boolean;
  reviewAll: ActionId | undefined;
}

function File({ file, diff, first, canOpen, reviewAll }: FileProps): JSX.Element {
  const { words } = useTools();
  const name = useId();
  const { path, from, kind, added, deleted } = file;
  const isBinary = added === undefined && deleted === undefined;
  const what = from === undefined ? words.fileKinds[kind] : fill(words.renamed, from);
  return (
    <article class="file" aria-labelledby={name}>
      <h3>
        <span class="path" id={name}>
          {canOpen ? (
            <button type="button" class="link" onClick={() => post({ type: 'openFile', path })}>
              <Path path={path} />
            </button>
          ) : (
            <Path path={path} />
          )}
        </span>
        {kind === 'changed' ? null : <bdi class="kind">{what}</bdi>}
        {isBinary ? <span class="counts">{words.binary}</span> : null}
        {(added ?? 0) + (deleted ?? 0) > 0 ? <Counts added={added ?? 0} deleted={deleted ?? 0} /> : null}
      </h3>
      {diff === undefined ? null : diff.isImage === true ? (
        <Pictures {...{ diff, kind }} />
      ) : (
        <FileText {...{ name, diff, first, isBinary, lines: (added ?? 0) + (deleted ?? 0), reviewAll }} />
      )}
    </article>
  );
}

interface FileTextProps {
  /** Id of the element with the file's name. */
  name: string;
  diff: FileDiff;
  first: number;
  isBinary: boolean;
  lines: number;
  reviewAll: ActionId | undefined;
}

function FileText({ name, diff, first, isBinary, lines, reviewAll }: FileTextProps): JSX.Element | null {
  const { words, format } = useTools();
  const { path, paragraphs, isCut } = diff;
  const [isOpen, toggle] = useFold(`file ${path}`);
  const count = paragraphs.length;
  const show = count === 1 ? words.showOneParagraph : fill(words.showParagraphs, format.number(count));
  if (count === 0 && (isBinary || lines === 0)) {
    return null;
  }
  return (
    <>
      {count === 0 && !isCut ? <p class="note">{words.noText}</p> : null}
      <ChangedText paragraphs={paragraphs} count={isOpen ? count : first} />
      {first < count ? (
        <button type="button" class="link fold" aria-expanded={isOpen} aria-describedby={name} onClick={toggle}>
          {isOpen ? words.showLess : show}
        </button>
      ) : null}
      {isCut && (isOpen || first === count) ? (
        <p class="note">
          {words.moreText} <ReviewAll id={reviewAll} describedBy={name} />
        </p>
      ) : null}
    </>
  );
}

function Pictures({ diff, kind }: { diff: FileDiff; kind: ChangedFile['kind'] }): JSX.Element {
  const { words } = useTools();
  const { path, before, after } = diff;
  const sides = [
    ...(kind === 'added' ? [] : [{ label: words.before, picture: before }]),
    ...(kind === 'deleted' ? [] : [{ label: words.after, picture: after }]),
  ];
  return (
    <div class="pictures">
      {sides.map(({ label, picture }) => (
        <figure key={label}>
          {sides.length > 1 ? <figcaption>{label}</figcaption> : null}
          {picture === undefined ? (
            <p class="note">{words.noPicture}</p>
          ) : (
            <img src={picture} alt={`${label}: ${path}`} loading="lazy" decoding="async" />
          )}
        </figure>
      ))}
    </div>
  );
}

/** Renders the folder less prominently than the name. */
function Path({ path }: { path: string }): JSX.Element {
  const cut = path.lastIndexOf('/') + 1;
  return (
    <>
      <bdi class="folder">{path.slice(0, cut)}</bdi>
      <bdi>{path.slice(cut)}</bdi>
    </>
  );
}

function Counts({ added, deleted }: { added: number; deleted: number }): JSX.Element {
  const { format } = useTools();
  return (
    <span class="counts">
      {added > 0 || deleted === 0 ? <span class="added">+{format.number(added)}</span> : null}{' '}
      {deleted > 0 ? <span class="deleted">−{format.number(deleted)}</span> : null}
    </span>
  );
}
