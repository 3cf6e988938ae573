import type { Reporter } from 'vitest/node';
import { behaviours } from './all-behaviours.ts';
import { ENDPOINTS, type Endpoint } from './behaviour.ts';
import { faultsOf, inBrief } from './finds-in-words.ts';

/** What came of one play; tests hand it over in their meta. */
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

type Write = (text: string) => void;

/** Prints every behaviour with what it is expected to lead to, and what the plays of this run took. */
export function corpusTable(write: Write = (text) => void process.stdout.write(text)): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const metas = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.meta()));
      const lines = metas.flatMap(({ play }) => (play === undefined ? [] : [play]));
      if (lines.length > 0) write(`\n${table()}\n\n${summary(lines)}\n`);
    },
  };
}

const HEAD = ['behaviour', ...ENDPOINTS.map((endpoint) => `/${endpoint}`), 'fault'];

function table(): string {
  const cells = behaviours.map((behaviour) => [
    behaviour.id,
    ...ENDPOINTS.map((endpoint) => inBrief(behaviour.finds[endpoint])),
    faultsOf(behaviour),
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...cells.map((texts) => texts[column]?.length ?? 0)),
  );
  return [HEAD, widths.map((width) => '─'.repeat(width)), ...cells]
    .map((texts) =>
      texts
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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
