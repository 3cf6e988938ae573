import type { CommandModel, OptionModel, Values } from './command-model.ts';

/** A completion script for fish. Pure. */
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

function action(values: Values): string {
  switch (values.kind) {
    case 'none':
    case 'any':
      return '';
    case 'words':
      return `-a ${quoted(values.words.join(' '))}`;
    case 'list':
      return `-a ${quoted(`(__fish_append , ${values.words.join(' ')})`)}`;
    case 'requirement':
      return "-a '$__probity_requirements'";
    case 'requirements':
      return "-a '(__fish_append , $__probity_requirements)'";
    case 'file':
      return '-F';
    case 'folder':
      return "-a '(__fish_complete_directories)'";
    case 'report':
      return "-a '(__fish_complete_suffix .json)'";
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
