import { distance } from 'fastest-levenshtein';
import { isJsonObject, type Json, ownProperty } from '../json/json.ts';
import { objectWith, requireArguments, required } from '../model/arguments.ts';
import type { ServerDetails } from './answer-shapes.ts';

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

const MAX_COMPARED = 1000;
const MAX_CHARACTERS = 100;
const MAX_NAMED = 3;

/** The most similar names, the nearest first. Pure. */
export function nearNames(name: string, known: readonly string[]): readonly string[] {
  const given = name.slice(0, MAX_CHARACTERS).toLowerCase();
  const limit = Math.max(given.length < 4 ? 1 : 2, Math.floor(given.length / 3));
  return known
    .slice(0, MAX_COMPARED)
    .filter((candidate) => candidate.length <= MAX_CHARACTERS)
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      const begins = given.length >= 4 && lower.startsWith(given);
      return { candidate, edits: begins ? limit : distance(given, lower) };
    })
    .filter(({ edits }) => edits <= limit)
    .sort((left, right) => left.edits - right.edits)
    .slice(0, MAX_NAMED)
    .map(({ candidate }) => candidate);
}
