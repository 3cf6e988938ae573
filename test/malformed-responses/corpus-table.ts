import type { Reporter } from 'vitest/node';
import { alignedTable, tableOfMetas, type Write } from '../set-up/table-of-metas.ts';
import { behaviours } from './all-behaviours.ts';
import { ENDPOINTS, type Endpoint } from './behaviour.ts';
import { faultsOf, inBrief } from './finds-in-words.ts';

/** The result of one play, which tests pass on in their meta. */
export interface PlayLine {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly megabytesOverPlain: number;
  readonly msOverDeadline: number;
}

declare module 'vitest' {
  interface TaskMeta {
    play?: PlayLine;
  }
}

/** Prints every behaviour with its expected findings, and the memory and time of the plays. */
export function corpusTable(write?: Write): Reporter {
  return tableOfMetas((metas) => {
    const lines = metas.flatMap(({ play }) => (play === undefined ? [] : [play]));
    return lines.length === 0 ? '' : `\n${table()}\n\n${summary(lines)}\n`;
  }, write);
}

const HEAD = ['behaviour', ...ENDPOINTS.map((endpoint) => `/${endpoint}`), 'fault'];

function table(): string {
  const cells = behaviours.map((behaviour) => [
    behaviour.id,
    ...ENDPOINTS.map((endpoint) => inBrief(behaviour.finds[endpoint])),
    faultsOf(behaviour),
  ]);
  return alignedTable(HEAD, cells);
}

function summary(lines: readonly PlayLine[]): string {
  const highest = [...lines].sort((left, right) => right.megabytesOverPlain - left.megabytesOverPlain)[0];
  const [latest] = lines
    .filter(({ msOverDeadline }) => msOverDeadline > 0)
    .sort((left, right) => right.msOverDeadline - left.msOverDeadline);
  return [
    `${behaviours.length} behaviours, ${lines.length} plays`,
    highest &&
      `most memory: ${highest.megabytesOverPlain.toFixed(0)} MB over that of a plain run, ${highest.id} on /${highest.endpoint}`,
    latest &&
      `latest after its deadline: ${latest.msOverDeadline.toFixed(0)} ms, ${latest.id} on /${latest.endpoint}`,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}
