import type { NameRole } from '../names';

/** The roles of Sphinx that name code, and what they say it is. */
const ROLES: Readonly<Record<string, NameRole>> = {
  ...each('function', 'func function meth method'),
  ...each('type', 'class exc exception type struct enum'),
  ...each('key', 'confval setting'),
  ...each('variable', 'envvar'),
  ...each('file', 'file'),
  ...each('any', 'any attr attribute code const data literal macro member mod obj option property var'),
};

function each(role: NameRole, names: string): Record<string, NameRole> {
  return Object.fromEntries(names.split(' ').map((name) => [name, role]));
}

/** Undefined for a role that doesn't name code, such as `ref`. */
export function roleOf(name: string): NameRole | undefined {
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}
