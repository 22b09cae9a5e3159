/** The longest id that a service may give and that the client will put in a path, in characters. */
const MAX_ID_LENGTH = 512;

/**
 * True for a job or project id that may stand in a path. `encodeURIComponent` leaves `.` and `..` as they are, and a
 * path with these would name another resource; half a surrogate pair has no encoding at all.
 */
export function isPathSafeId(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.length <= MAX_ID_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(id);
}
