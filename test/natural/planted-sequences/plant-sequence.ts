import type { JsonObject } from '../../../src/json/json.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural-server.ts';
import { type Craft, careful, serveNatural } from '../serve-natural.ts';

export interface PlantedStep {
  readonly function: string;
  readonly input: JsonObject;
}

/** A bug that no single call shows, in an otherwise correct server. */
export interface PlantedSequenceBug {
  readonly name: string;
  /** The function of the last call, which shows the fault. */
  readonly functionName: string;
  /** The shortest known calls that show it; "$1/id" is what the result of the first call has at /id. */
  readonly smallest: readonly PlantedStep[];
  /** Serves form B, with its own state. */
  readonly start: () => Promise<RunningServer>;
}

/** A correct server whose behaviour may look wrong. */
export interface ConformingStateful {
  readonly name: string;
  readonly start: () => Promise<RunningServer>;
}

interface StatefulServer {
  readonly name: string;
  /** Describes the server. */
  readonly service: string;
  /** Called for each server, so that each has its own state. */
  readonly open: () => readonly NaturalFunction[];
}

interface SequencePlanting extends StatefulServer {
  readonly smallest: readonly PlantedStep[];
  /** What a caller gets for an unhandled exception. */
  readonly craft?: Partial<Craft>;
}

export function plantSequence(planting: SequencePlanting): PlantedSequenceBug {
  const { name, service, open, smallest, craft = {} } = planting;
  const last = smallest.at(-1);
  if (last === undefined) throw new Error(`${name} has no calls`);
  return { name, smallest, functionName: last.function, start: () => start(service, open, craft) };
}

export function conforming({ name, service, open }: StatefulServer): ConformingStateful {
  return { name, start: () => start(service, open, {}) };
}

function start(
  description: string,
  open: StatefulServer['open'],
  craft: Partial<Craft>,
): Promise<RunningServer> {
  const service = { name: 'keeper', version: '2.0.1', description, functions: open() };
  return serveNatural(service, 'B', undefined, { ...careful, ...craft });
}

export function call(functionName: string, input: JsonObject = {}): PlantedStep {
  return { function: functionName, input };
}

/** Refuses an id that does not exist. */
export function found<Key, Item>(items: ReadonlyMap<Key, Item>, id: Key, what: string): Item {
  const item = items.get(id);
  if (item === undefined) throw new Refused('NOT_FOUND', `There is no ${what} with the id ${id}`, 404);
  return item;
}

export function conflict(message: string): Refused {
  return new Refused('CONFLICT', message, 409);
}

/** Makes 1, 2, 3 and so on. */
export function counter(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}
