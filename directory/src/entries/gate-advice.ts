import { shorten, targetVariable } from 'probity/model';
import type { Gate } from '../db/tables.ts';
import type { EntryTarget } from './entries.ts';

const MAX_SHOWN_CHARACTERS = 200;

/** What the operator does so that the directory can call a server that asks for a key. Pure. */
export function gateAdvice(
  { id, listing }: Pick<EntryTarget, 'id' | 'listing'>,
  { httpStatus, challenge, hasKey }: Omit<Gate, 'remedy'>,
): string {
  const variable = targetVariable(id);
  const said = challenge === null ? '' : `, WWW-Authenticate: ${shorten(challenge, MAX_SHOWN_CHARACTERS)}`;
  const asked = `The server asks for a key (status ${httpStatus}${said}).`;
  const give = `${variable}=KEY, in the file of --target-keys of the running service, which reads it again, or in its environment`;
  if (hasKey) return `${asked} It refuses the one in ${variable}. Give another one: ${give}.`;
  if (listing.bearerEnv !== undefined) return `${asked} Give it: ${give}.`;
  return `${asked} Its listing names none: add \`bearerEnv: ${variable}\` to it, run \`probity directory update FILE\`, and give the key: ${give}.`;
}
