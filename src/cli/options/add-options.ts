import { type Command, Option as CommanderOption } from 'commander';
import {
  choiceOf,
  collected,
  listed,
  listedOf,
  minCoverage,
  seconds,
  shellCommand,
  wholeNumber,
} from '../../command-line/option-values.ts';
import { docOf, type Option } from '../../model/option.ts';

/** Declares options of a table for a command. Those without a flag are not on the command line. */
export function addOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) if (option.flag !== undefined) command.addOption(flagOf(option.flag, option));
  return command;
}

function flagOf(flag: string, option: Option): CommanderOption {
  const { written, group = '' } = option;
  const doc = `${option.doc}${HOW_OFTEN[written.as] ?? ''}`;
  const made = new CommanderOption(flag, docOf({ ...option, doc })).helpGroup(`${group}:`);
  switch (written.as) {
    case 'choice':
      return made.choices(written.of).argParser((value: string) => choiceOf(value, written.of));
    case 'count':
      return made.argParser(wholeNumber(written.min, written.max));
    case 'seconds':
      return made.argParser(seconds);
    case 'coverage':
      return made.argParser(minCoverage);
    case 'names':
      return written.of === undefined
        ? made.argParser(listed)
        : made.choices(written.of).argParser(listedOf(written.of));
    case 'lines':
      return made.argParser(collected);
    case 'command':
      return made.argParser(shellCommand);
    case 'toggle':
    case 'text':
    case 'file':
      return made;
  }
}

const HOW_OFTEN: { readonly [As in Option['written']['as']]?: string } = {
  names: ', comma-separated or repeated',
  lines: '; repeatable',
};
