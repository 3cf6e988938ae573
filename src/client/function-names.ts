import { isJsonObject, type Json, ownProperty } from '../json/json.ts';
import { objectWith, requireArguments, required } from '../model/arguments.ts';
import { nearest } from '../text/nearest-name.ts';
import type { ServerDetails } from './answer-shapes.ts';
import { DirectoryError } from './directory-error.ts';

const DETAILS = objectWith<ServerDetails>('the details of a server from a directory client', {});

/**
 * The names of the functions in the details of a server, under `functions` or `capabilities.functions`. Null if the
 * details name none; the server may still have functions. Pure.
 */
export function functionNames(details: ServerDetails): readonly string[] | null {
  requireArguments('functionNames', { details }, { details: required(DETAILS) });
  const listed = details.functions ?? ownProperty(details.capabilities, 'functions') ?? details.capabilities;
  if (!Array.isArray(listed)) return null;
  const names = listed.map(nameOf).filter((name) => name !== null);
  return names.length === 0 ? null : names;
}

function nameOf(descriptor: Json): string | null {
  const name = isJsonObject(descriptor) ? ownProperty(descriptor, 'name') : descriptor;
  return typeof name === 'string' && name !== '' ? name : null;
}

const MAX_SHOWN = 12;
const MAX_COMPARED = 1000;
const MAX_CHARACTERS = 100;

/** The error for a function that the details do not name, with the most similar name. Pure. */
export function unknownFunction(id: string, name: string, known: readonly string[]): DirectoryError {
  const compared = known.slice(0, MAX_COMPARED).filter((one) => one.length <= MAX_CHARACTERS);
  const close = nearest(name.slice(0, MAX_CHARACTERS), compared);
  const shown = known.slice(0, MAX_SHOWN).map((one) => JSON.stringify(one.slice(0, MAX_CHARACTERS)));
  const more = known.length > shown.length ? ` and ${known.length - shown.length} more` : '';
  const remedy =
    close === undefined ? `It has ${shown.join(', ')}${more}.` : `Did you mean ${JSON.stringify(close)}?`;
  return new DirectoryError(
    `Server ${JSON.stringify(id)} has no function ${JSON.stringify(name)}, so it was not called. ${remedy}`,
    { code: 'unknown-function' },
  );
}
