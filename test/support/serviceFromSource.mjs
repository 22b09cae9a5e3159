// The local service from its source, for tests that start a program by its path, with no options of Node.js.
import 'tsx';

await import('../../src/local-service/main.ts');
