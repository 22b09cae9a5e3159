import { type CodedText, coded } from '../../src/shared/protocol/codedText';
import { toEnglish } from '../../src/service/codedText';

/** Words that stand for a text of the service. */
export const plain = (text: string): CodedText => coded('plain', { text });

/** A text of the service as a sentence; empty for none. */
export const inEnglish = (text: CodedText | null | undefined): string => (text == null ? '' : toEnglish(text));
