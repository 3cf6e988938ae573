import type { TaskMeta } from 'vitest';
import type { Reporter } from 'vitest/node';

export type Write = (text: string) => void;

/** Prints at the end the metas of the tests of a run; nothing if `printed` is empty. */
export function tableOfMetas(
  printed: (metas: readonly TaskMeta[]) => string,
  write: Write = (text) => void process.stdout.write(text),
): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const text = printed(
        modules.flatMap((module) => [...module.children.allTests()].map((test) => test.meta())),
      );
      if (text !== '') write(text);
    },
  };
}

export function alignedTable(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = head.map((text, column) =>
    Math.max(text.length, ...cells.map((texts) => texts[column]?.length ?? 0)),
  );
  return [head, widths.map((width) => '─'.repeat(width)), ...cells]
    .map((texts) =>
      texts
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
