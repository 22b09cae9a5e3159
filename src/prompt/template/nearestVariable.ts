import { closestMatch } from 'leven';
import { VARIABLES, type VariableName } from './variables';

/** A longer name is none that was mistyped. */
const MOST_LENGTH = 40;

/** The variable that was probably meant; undefined where none is near. */
export function nearestVariable(name: string): VariableName | undefined {
  if (name.length > MOST_LENGTH) {
    return undefined;
  }
  const small = VARIABLES.map((each) => each.toLowerCase());
  const found = closestMatch(name.trim().toLowerCase(), small, { maxDistance: 3 });
  return found === undefined || name.trim().length < 3 ? undefined : VARIABLES[small.indexOf(found)];
}
