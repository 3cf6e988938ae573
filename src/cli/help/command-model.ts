import type { Argument, Command, Option } from 'commander';
import { FORMAT_NAMES } from '../../check/render/render-format.ts';
import { EXAMPLES } from './describe-commands.ts';

/** What may follow an option, or be an argument. */
export type Values =
  | { readonly kind: 'none' | 'any' | 'file' | 'folder' | 'report' | 'requirement' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Comma-separated. */
  | { readonly kind: 'list'; readonly words: readonly string[] }
  | { readonly kind: 'requirements' };

/** What is completed in one way, whatever the command. */
export type FixedValues = Readonly<Record<Exclude<Values['kind'], 'words' | 'list'>, string>>;

export interface ArgumentModel {
  /** `[url]`; of an option `<ids>`, and empty for a flag. */
  readonly placeholder: string;
  readonly description: string;
  readonly values: Values;
}

export interface OptionModel extends ArgumentModel {
  /** `--only`, and `-h` if it has a short form. */
  readonly flags: readonly string[];
}

export interface CommandModel {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly example: string;
  readonly arguments: readonly ArgumentModel[];
  /** In groups, in the order of the help. */
  readonly options: readonly (readonly [group: string, options: readonly OptionModel[]])[];
}

/** The commands of a program, as the help shows them. */
export function commandModels(program: Command): readonly CommandModel[] {
  const help = program.createHelp();
  const visible = help.visibleCommands(program);
  const names = visible.map((command) => command.name());
  const groups = help.groupItems([...program.commands], visible, (command) => command.helpGroup());
  return [...groups.values()].flat().map((command) => {
    const own = command.createHelp();
    const options = own.visibleOptions(command);
    const optionGroups = own.groupItems(
      [...command.options],
      options,
      (option) => option.helpGroupHeading ?? '',
    );
    return {
      name: command.name(),
      group: (command.helpGroup() || '').replace(/:$/, ''),
      description: command.description(),
      example: EXAMPLES[command.name()] ?? '',
      arguments: command.registeredArguments.map((argument) =>
        argumentModel(command.name() === 'help' ? names : [], argument),
      ),
      options: [...optionGroups].map(
        ([group, items]) => [group.replace(/:$/, ''), items.map(optionModel)] as const,
      ),
    };
  });
}

function argumentModel(commands: readonly string[], argument: Argument): ArgumentModel {
  const { argChoices, description, required, variadic } = argument;
  const name = `${argument.name()}${variadic ? '...' : ''}`;
  const words: readonly string[] = argChoices ?? commands;
  return {
    placeholder: required ? `<${name}>` : `[${name}]`,
    description,
    values: words.length > 0 ? { kind: 'words', words } : { kind: KINDS[argument.name()] ?? 'any' },
  };
}

const KINDS: Readonly<Record<string, 'report' | 'requirement' | 'file'>> = {
  report: 'report',
  old: 'report',
  new: 'report',
  id: 'requirement',
  ids: 'requirement',
  files: 'file',
};

const BY_PLACEHOLDER: Readonly<Record<string, Values>> = {
  '': { kind: 'none' },
  '<file>': { kind: 'file' },
  '<path>': { kind: 'file' },
  '<folder>': { kind: 'folder' },
  '<ids>': { kind: 'requirements' },
};

function optionModel({ flags, long, short, argChoices, description, defaultValue }: Option): OptionModel {
  const placeholder = /[<[].*$/.exec(flags)?.[0] ?? '';
  const choices: readonly string[] | undefined = argChoices;
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(typeof defaultValue === 'string' || typeof defaultValue === 'number'
      ? [`default: ${defaultValue}`]
      : []),
  ].filter((note) => note !== 'default: ');
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    placeholder,
    description: `${description}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`,
    values:
      choices !== undefined
        ? { kind: 'words', words: choices }
        : long === '--format'
          ? { kind: 'list', words: FORMAT_NAMES }
          : (BY_PLACEHOLDER[placeholder] ?? { kind: 'any' }),
  };
}
