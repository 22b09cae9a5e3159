import type { DiffFile } from 'diff2html/lib/types';

/** The path of a file as it is after the change, or as it was when it is deleted. */
export function pathOf({ isDeleted, oldName, newName }: Pick<DiffFile, 'isDeleted' | 'oldName' | 'newName'>): string {
  return plainPath(isDeleted === true ? oldName : newName);
}

/** git ends a path that holds a space by a TAB, which the parser takes for a part of it; one in the path itself is quoted. */
export function plainPath(name: string): string {
  return name.replace(/"?\t$/, '');
}
