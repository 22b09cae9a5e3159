export { completions } from './completions';
export { diagnostics } from './diagnostics';
export { fixes } from './fixes';
export { hover } from './hover';
