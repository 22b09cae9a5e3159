import { t } from './words';

/** What the page tells its reader, above everything else and to a screen reader. */
export interface Notices {
  say(words: string): void;
  /** Something did not work. */
  warn(words: string): void;
  /** Offers to load the page again, which shows what is new. */
  offerReload(words: string): void;
  /** Tells a screen reader alone. */
  whisper(words: string): void;
}

export function openNotices(): Notices {
  const place = document.querySelector('#news');
  const quiet = document.querySelector('#whisper');
  const show = (words: string, kind: 'good' | 'bad', canReload: boolean): void => {
    const line = document.createElement('p');
    line.className = kind;
    line.append(words);
    if (canReload) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = t('Reload the page');
      button.addEventListener('click', () => location.reload());
      line.append(' ', button);
    }
    place?.replaceChildren(line);
  };
  return {
    say: (words) => show(words, 'good', false),
    // What the service says to do: in German “Laden Sie … neu”.
    warn: (words) => show(words, 'bad', words.includes(t('Reload'))),
    offerReload: (words) => show(words, 'good', true),
    whisper: (words) => {
      if (quiet !== null) {
        quiet.textContent = words;
      }
    },
  };
}
