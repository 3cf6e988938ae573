import type { RecordOf } from '../../model/kind.ts';
import type { Options } from '../../model/option.ts';

/** The options of a table that flags or the configuration set; flags take precedence. */
export function chosenOptions<const Table extends Options>(
  table: Table,
  flags: object,
  config: object = {},
): RecordOf<Table> {
  const chosen = Object.entries(table).flatMap(([name, { flag, key, written }]) => {
    const value = (flag && valueOfFlag(flag, flags)) ?? (key && memberOf(config, key));
    if (value === undefined) return [];
    return [[name, written.as === 'seconds' ? Number(value) * 1000 : value]];
  });
  return Object.fromEntries(chosen) as RecordOf<Table>;
}

function valueOfFlag(flag: string, flags: object): unknown {
  const [, no = '', words = ''] = /^--(no-)?([a-z-]+)/.exec(flag) ?? [];
  const value = memberOf(
    flags,
    words.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  if (no === '') return value;
  // Without the flag it is true, or undefined in a command that does not have it.
  return value === false ? true : undefined;
}

function memberOf(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name];
}
