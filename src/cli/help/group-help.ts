import type { Command, Help, Option } from 'commander';
import { COMMAND_GROUPS, COMMANDS, OPTION_GROUPS, optionGroup } from './help-table.ts';

const ORDER: readonly string[] = [...COMMAND_GROUPS, ...Object.keys(OPTION_GROUPS)].map(heading);

/** Prints commands and options in groups, and an example of each command. */
export function groupHelp(program: Command): void {
  for (const command of [program, ...program.commands]) {
    const { group, example } = COMMANDS[command.name()] ?? {};
    for (const option of command.options) {
      const found = optionGroup(command.name(), option.long ?? '');
      if (found !== undefined) option.helpGroup(heading(found));
    }
    command.configureHelp({ groupItems: inOrder });
    if (group !== undefined) command.helpGroup(heading(group));
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`);
  }
}

function heading(group: string): string {
  return `${group}:`;
}

/** In the order of the table; what has no group comes last. */
function inOrder<Item extends Command | Option>(
  this: Help,
  unsorted: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of [...unsorted, ...visible]) groups.set(groupOf(item), []);
  for (const item of visible) groups.get(groupOf(item))?.push(item);
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return new Map(
    [...groups].filter(([, items]) => items.length > 0).sort(([left], [right]) => rank(left) - rank(right)),
  );
}
