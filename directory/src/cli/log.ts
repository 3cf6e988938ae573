import { say } from 'probity/command-line';
import { visible } from 'probity/model';
import { authorWords, type OperatorAction, readLog } from '../entries/operator-log.ts';
import { print } from './print.ts';
import { type StoreFlags, withStore } from './store-flags.ts';

interface LogFlags extends StoreFlags {
  readonly max: number;
  readonly json?: boolean;
}

/** Prints what operators did, the newest first. */
export async function log(id: string | undefined, { max, json, ...flags }: LogFlags): Promise<void> {
  const actions = await withStore(flags, ({ db }) => readLog(db, { entryId: id ?? null, max }));
  if (actions.length === 0)
    say(id === undefined ? 'The log is empty.' : `The log has nothing about "${id}".`);
  for (const action of actions)
    await print(json === true ? `${JSON.stringify(action)}\n` : `${lineOf(action)}\n`);
}

/** An action in a line. */
export function lineOf({ at, authorKind, operator, action, ...more }: OperatorAction): string {
  const { entryId, reason, publicReason, until, details } = more;
  const what = [
    action,
    ...(entryId === null ? [] : [visible(entryId)]),
    `by ${authorWords({ authorKind, operator })}`,
    ...(until === null ? [] : [`until ${until.toISOString()}`]),
  ].join(' ');
  const why = [
    ...(reason === null ? [] : [visible(reason)]),
    ...(publicReason === null ? [] : [`for everybody: ${visible(publicReason)}`]),
    ...(details === null ? [] : [visible(details)]),
  ].join('; ');
  return `${at.toISOString()}  ${what}${why === '' ? '' : `: ${why}`}`;
}
