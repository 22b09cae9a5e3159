import type { JSX } from 'preact';
import type { ChangedFile, Changes } from '../model';
import { fill } from './format';
import { useTools } from './host';

/** Length of the bar of the file with the most changed lines; the other bars are in proportion. */
const BAR = 64;

export function ChangesSection({ changes }: { changes: Changes }): JSX.Element {
  const { words, format } = useTools();
  const { files, more, added, deleted, canOpen } = changes;
  const most = files.reduce((lines, file) => Math.max(lines, (file.added ?? 0) + (file.deleted ?? 0)), 1);
  return (
    <section class="changes" aria-labelledby="changes">
      <h2>
        <span id="changes">{words.changes}</span> <span class="count">{format.number(files.length + more)}</span>{' '}
        <Counts added={added} deleted={deleted} />
      </h2>
      <ul aria-labelledby="changes">
        {files.map((file) => (
          <File key={file.path} {...{ file, most, canOpen }} />
        ))}
      </ul>
      {more > 0 ? <p class="note">{fill(words.moreFiles, format.number(more))}</p> : null}
    </section>
  );
}

interface FileProps {
  file: ChangedFile;
  most: number;
  canOpen: boolean;
}

function File({ file, most, canOpen }: FileProps): JSX.Element {
  const { words, post } = useTools();
  const { path, from, kind, added, deleted } = file;
  const isBinary = added === undefined && deleted === undefined;
  const name = <Path path={path} from={from} />;
  return (
    <li>
      <span class={`kind ${kind}`}>{words.fileKinds[kind]}</span>
      <div class="path">
        {canOpen ? (
          <button type="button" class="link" onClick={() => post({ type: 'openFile', path })}>
            {name}
          </button>
        ) : (
          name
        )}
      </div>
      {isBinary ? <span class="counts">{words.binary}</span> : <Counts added={added ?? 0} deleted={deleted ?? 0} />}
      <LineBar added={added ?? 0} deleted={deleted ?? 0} most={most} />
    </li>
  );
}

/** Renders the folder less prominently than the name. */
function Path({ path, from }: { path: string; from: string | undefined }): JSX.Element {
  const cut = path.lastIndexOf('/') + 1;
  return (
    <>
      {from === undefined ? null : <bdi class="folder">{from} → </bdi>}
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

function LineBar({ added, deleted, most }: { added: number; deleted: number; most: number }): JSX.Element {
  const length = (lines: number): number => (lines === 0 ? 0 : Math.max(2, (lines / most) * (BAR - 5)));
  return (
    <svg class="lines" width={BAR} height={8} viewBox={`0 0 ${BAR} 8`} aria-hidden="true">
      <rect class="added" x={0.5} y={0.5} width={length(added)} height={7} />
      <rect class="deleted" x={length(added) + 0.5} y={0.5} width={length(deleted)} height={7} />
    </svg>
  );
}
