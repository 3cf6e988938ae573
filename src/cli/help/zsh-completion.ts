import type { ArgumentModel, CommandModel, FixedValues, OptionModel, Values } from './command-model.ts';

export function zshCompletion(commands: readonly CommandModel[], ids: readonly string[]): string {
  const described = commands.map(({ name, description }) =>
    quoted(`${name}:${description.replaceAll(':', '\\:')}`),
  );
  return `#compdef probity
# Completion of probity for zsh, written by \`probity completion zsh\`. Load it with
#   source <(probity completion zsh)
typeset -ga _probity_requirements
_probity_requirements=(${ids.join(' ')})

_probity_requirement() { compadd -a _probity_requirements }
_probity_requirement_list() { _sequence compadd -a _probity_requirements }

_probity() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${described.map((one) => `    ${one}`).join('\n')}
  )
  _arguments -C '(- *)--help[print this help]' '(- *)--version[print the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}

if [[ $funcstack[1] == _probity ]]; then
  _probity "$@"
else
  compdef _probity probity
fi
`;
}

function commandCase({ name, options, arguments: given }: CommandModel): string {
  const specs = [...options.flatMap(([, items]) => items).flatMap(optionSpecs), ...given.map(argumentSpec)];
  return [
    `        ${name}) _arguments -s \\`,
    ...specs.map((spec) => `          ${spec} \\`),
    '          ;;',
  ].join('\n');
}

function optionSpecs({ flags, description, placeholder, values }: OptionModel): readonly string[] {
  const value =
    values.kind === 'none' ? '' : `:${inSpec(placeholder.replaceAll(/[<>[\]]/g, ''))}:${action(values)}`;
  return flags.map((flag) =>
    quoted(
      `*${flag}${values.kind === 'none' || !flag.startsWith('--') ? '' : '='}[${inSpec(description)}]${value}`,
    ),
  );
}

function argumentSpec({ placeholder, values }: ArgumentModel, index: number): string {
  const name = inSpec(placeholder.replaceAll(/[<>[\].]/g, ''));
  return quoted(`${placeholder.includes('...') ? '*' : index + 1}:${name}:${action(values)}`);
}

const ACTIONS: FixedValues = {
  none: ' ',
  any: ' ',
  requirement: '_probity_requirement',
  requirements: '_probity_requirement_list',
  file: '_files',
  folder: '_files -/',
  report: '_files -g "*.json"',
};

function action(values: Values): string {
  if (values.kind === 'words') return `(${values.words.join(' ')})`;
  if (values.kind === 'list') return `_sequence compadd - ${values.words.join(' ')}`;
  return ACTIONS[values.kind];
}

function inSpec(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
