import { match, strictEqual } from 'node:assert/strict';
import { nodeProblem } from '../../../src/local-service/nodeVersion';

describe('the Node that the service is started with', () => {
  for (const version of ['22.15.0', '22.22.1', '23.11.0', '24.18.1', '100.0.0']) {
    it(`may be ${version}`, () => strictEqual(nodeProblem(version), undefined));
  }

  for (const version of ['22.14.9', '20.19.0', '18.20.8', '8.0.0']) {
    it(`may not be ${version}, and which it needs is said`, () => {
      match(nodeProblem(version) ?? '', new RegExp(`${version.replaceAll('.', '\\.')}.*22\\.15 or newer`));
    });
  }
});
