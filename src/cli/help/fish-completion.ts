import type { CommandModel, FixedValues, OptionModel, Values } from './command-model.ts';

export function fishCompletion(commands: readonly CommandModel[], ids: readonly string[]): string {
  return `# Completion of probity for fish, written by \`probity completion fish\`. Load it with
#   probity completion fish | source
set -g __probity_requirements ${ids.join(' ')}

complete -c probity -f
complete -c probity -n __fish_use_subcommand -s h -l help -d 'print this help'
complete -c probity -n __fish_use_subcommand -s V -l version -d 'print the version'
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ name, description, options, arguments: given }: CommandModel): readonly string[] {
  const inCommand = `complete -c probity -n '__fish_seen_subcommand_from ${name}'`;
  const operands = new Set(given.map(({ values }) => action(values)).filter((words) => words !== ''));
  return [
    `complete -c probity -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...options.flatMap(([, items]) => items).map((option) => `${inCommand} ${optionWords(option)}`),
    ...[...operands].map((words) => `${inCommand} ${words}`),
  ];
}

function optionWords({ flags, description, values }: OptionModel): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = values.kind === 'none' ? '' : ` -r ${action(values)}`.trimEnd();
  return `${names.join(' ')}${value} -d ${quoted(description)}`;
}

const ACTIONS: FixedValues = {
  none: '',
  any: '',
  requirement: "-a '$__probity_requirements'",
  requirements: "-a '(__fish_append , $__probity_requirements)'",
  file: '-F',
  folder: "-a '(__fish_complete_directories)'",
  report: "-a '(__fish_complete_suffix .json)'",
};

function action(values: Values): string {
  if (values.kind === 'words') return `-a ${quoted(values.words.join(' '))}`;
  if (values.kind === 'list') return `-a ${quoted(`(__fish_append , ${values.words.join(' ')})`)}`;
  return ACTIONS[values.kind];
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
