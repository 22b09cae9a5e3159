import { toEnglish } from '../../src/local-service/codedText';
import { coded, type CodedText } from '../../src/protocol/codedText';

/** A coded text that contains plain words. */
export const plain = (text: string): CodedText => coded('plain', { text });

/** A coded text of the service as an English sentence; empty if there is none. */
export const inEnglish = (text: CodedText | null | undefined): string => (text == null ? '' : toEnglish(text));
