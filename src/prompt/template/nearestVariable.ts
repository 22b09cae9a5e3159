import { closestMatch } from 'leven';
import { VARIABLES, type VariableName } from './variables';

/** The variable that was probably meant; undefined where none is near. */
export function nearestVariable(name: string): VariableName | undefined {
  const small = VARIABLES.map((each) => each.toLowerCase());
  const found = closestMatch(name.trim().toLowerCase(), small, { maxDistance: 3 });
  return found === undefined || name.trim().length < 3 ? undefined : VARIABLES[small.indexOf(found)];
}
