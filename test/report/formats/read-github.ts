import type { RenderedFile } from '../../../src/report/target-entry.ts';
import type { Reading } from './reading.ts';

export interface RunnerCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** A log line as GitHub’s runner reads it (ActionCommand.TryParseV2); null if it is not a command. */
export function runnerCommand(line: string): RunnerCommand | null {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end === -1) return null;
  const information = text.slice(2, end);
  const blank = information.indexOf(' ');
  const name = blank === -1 ? information : information.slice(0, blank);
  const pairs =
    blank === -1
      ? []
      : information
          .slice(blank + 1)
          .trim()
          .split(',');
  const properties = pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return [
        pair.slice(0, equals),
        unescaped(pair.slice(equals + 1), [
          ['%3A', ':'],
          ['%2C', ','],
        ]),
      ] as const;
    });
  return { name, properties: Object.fromEntries(properties), data: unescaped(text.slice(end + 2), []) };
}

function unescaped(text: string, more: readonly (readonly [string, string])[]): string {
  const mappings = [['%0D', '\r'], ['%0A', '\n'], ...more, ['%25', '%']] as const;
  return mappings.reduce((sofar, [escaped, character]) => sofar.replaceAll(escaped, character), text);
}

export function readGithub(file: RenderedFile | undefined): Reading {
  const lines = (file?.text ?? '').replace(/\n$/, '').split('\n');
  const commands = lines.map(runnerCommand);
  const isOwn = (command: RunnerCommand | null): boolean =>
    command !== null && ['error', 'warning', 'notice'].includes(command.name);
  return {
    structure: commands.map((command) => command && [command.name, Object.keys(command.properties)]),
    texts: commands.flatMap((command) =>
      command === null ? [] : [...Object.values(command.properties), ...command.data.split('\n')],
    ),
    faults: lines
      .filter((_, index) => !isOwn(commands[index] ?? null))
      .map((line) => `no command of ours: ${line}`),
  };
}
