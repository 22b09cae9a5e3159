import { toEnglish } from '../../src/local-service/codedText';
import { coded, type CodedText } from '../../src/protocol/codedText';

/** Words that stand for a text of the service. */
export const plain = (text: string): CodedText => coded('plain', { text });

/** A text of the service as a sentence; empty for none. */
export const inEnglish = (text: CodedText | null | undefined): string => (text == null ? '' : toEnglish(text));
