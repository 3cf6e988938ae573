/** Words for what should not be done forty times to see how fast it is. */
const CHANGES = new Set(
  [
    'approve archive assign block book buy cancel charge checkout close commit confirm create delete deploy deposit',
    'disable drop edit email enable enqueue erase execute flush grant import increment insert install invite invoice issue',
    'kill launch lock merge mint modify move notify order patch pay place post provision publish purchase purge push reboot',
    'refund register reject remove rename reserve reset restart restore revoke rollback rotate save schedule send ship sign',
    'sms start stop store submit subscribe terminate transfer trigger truncate uninstall unlock unsubscribe update upload',
    'upsert withdraw wipe write',
  ].flatMap((line) => line.split(' ')),
);

/** Alone they may be arithmetic; before another word they change what that word names. */
const CHANGES_BEFORE_A_NAME = new Set(['add', 'set', 'put', 'make', 'run', 'append', 'clear']);

/** Whether a call seems to change something. Cautious: what is only timed less is no harm. Pure. */
export function looksLikeChange(name: string, description: string): boolean {
  const ofName = wordsOf(name);
  const [first = '', ...rest] = ofName;
  if (ofName.some((word) => CHANGES.has(word))) return true;
  if (rest.length > 0 && CHANGES_BEFORE_A_NAME.has(first)) return true;
  return wordsOf(description.slice(0, MOST_DESCRIPTION)).slice(0, 1).some(isThirdPersonOfChange);
}

const MOST_DESCRIPTION = 200;

function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** "Creates", "pays", "publishes" and "notifies", as well as the words themselves. */
function isThirdPersonOfChange(word: string): boolean {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')].some((one) =>
    CHANGES.has(one),
  );
}
