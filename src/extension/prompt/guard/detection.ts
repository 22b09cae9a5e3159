/** What is loaded when a prompt is looked through for the first time. */
export { findSecrets } from '../../../prompt/secrets/findSecrets';
export { ownDetectors } from '../../../prompt/secrets/ownDetectors';
export { ruleDetectors } from '../../../prompt/secrets/ruleDetectors';
