export { default as process } from 'node:process';

/** What the SDK would check answers of a user with. The server asks for none, and the library is large. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('There is no validator.');
  }
}
