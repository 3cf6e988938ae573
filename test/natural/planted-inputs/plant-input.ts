import type { Members, NaturalFunction, RunningServer } from '../natural-server.ts';
import { type Craft, careful, serveNatural } from '../serve-natural.ts';
import { wordLengths } from './neighbours.ts';

export interface PlantedCall {
  readonly function: string;
  readonly input: Members;
}

/** A bug that only some inputs show, in an otherwise correct server. */
export interface PlantedInputBug {
  readonly name: string;
  /** The row that must fail. */
  readonly row:
    | 'inputs/valid-answered'
    | 'inputs/result-matches-returns'
    | 'inputs/invalid-refused'
    | 'inputs/same-kind'
    | 'inputs/callers-apart';
  readonly functionName: string;
  /** The smallest known input that shows it; of a sequence, the calls in order. */
  readonly smallest: Members | readonly PlantedCall[];
  /** Serves form B, with its own state. */
  readonly start: () => Promise<RunningServer>;
}

interface Planting extends Pick<PlantedInputBug, 'name' | 'row'> {
  /** Called for each server, so that each has its own state. */
  readonly open: () => NaturalFunction;
  /** An input; of a sequence, the inputs in order. */
  readonly smallest: Members | readonly Members[];
  /** Correct functions of the same server. */
  readonly beside?: readonly NaturalFunction[];
  readonly craft?: Partial<Craft>;
}

export function plantInput(planting: Planting): PlantedInputBug {
  const { name, row, open, smallest, beside = [wordLengths], craft = {} } = planting;
  const functionName = open().name;
  return {
    name,
    row,
    functionName,
    smallest: isList(smallest) ? smallest.map((input) => ({ function: functionName, input })) : smallest,
    start: () =>
      serveNatural(
        { name: 'toolbox', version: '3.1.0', description: 'Small tools.', functions: [open(), ...beside] },
        'B',
        undefined,
        { ...careful, ...craft },
      ),
  };
}

function isList(value: Members | readonly Members[]): value is readonly Members[] {
  return Array.isArray(value);
}
