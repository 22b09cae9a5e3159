export interface RawEntry {
  oldMode: string;
  mode: string;
  oldId: string;
  id: string;
  /** Such as `M`, or `U` for an unmerged entry of the index. */
  status: string;
  path: string;
}

/** @param header what `git diff-index --raw -z` prints before the path */
export function toRawEntry(header: string, path: string): RawEntry {
  const [oldMode = '', mode = '', oldId = '', id = '', status = ''] = header.slice(':'.length).split(' ');
  return { oldMode, mode, oldId, id, status, path };
}
