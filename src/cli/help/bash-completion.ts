import type { CommandModel, FixedValues, Values } from './command-model.ts';

/** A completion script for bash 3.2 and later. Pure. */
export function bashCompletion(commands: readonly CommandModel[], ids: readonly string[]): string {
  return `# Completion of probity for bash, written by \`probity completion bash\`. Load it with
#   source <(probity completion bash)
_probity_requirements='${ids.join(' ')}'

_probity_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Comma-separated: the last item is completed.
_probity_list() {
  local before='' last="$cur"
  if [[ $cur == *,* ]]; then
    before="\${cur%,*},"
    last="\${cur##*,}"
  fi
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "$last"))
  compopt -o nospace 2>/dev/null
}

_probity_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$@" -- "$cur"))
  compopt -o filenames 2>/dev/null
}

_probity() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" options=''
  COMPREPLY=()
  # Bash splits --option=value into three words.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [[ $COMP_CWORD -eq 1 ]]; then
    _probity_words '${commands.map(({ name }) => name).join(' ')} --help --version'
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(commandCase).join('\n')}
  esac
}

complete -F _probity probity
`;
}

function commandCase({ name, options, arguments: given }: CommandModel): string {
  const all = options.flatMap(([, items]) => items);
  const flagsOf = new Map<string, readonly string[]>();
  for (const { flags, values } of all)
    if (values.kind !== 'none')
      flagsOf.set(action(values), [...(flagsOf.get(action(values)) ?? []), ...flags]);
  const cases = [...flagsOf].map(([done, flags]) => `        ${flags.join('|')}) ${done}return ;;`);
  const [first = '', ...others] = given.map(({ values }) => action(values));
  const last = others.at(-1) ?? first;
  const operand =
    first === last || first === ''
      ? last
      : `if [[ $COMP_CWORD -eq 2 ]]; then ${first}${last === '' ? '' : `else ${last}`}fi; `;
  return [
    `    ${name})`,
    ...(cases.length === 0 ? [] : ['      case "$prev" in', ...cases, '      esac']),
    `      options='${all.flatMap(({ flags }) => flags).join(' ')}'`,
    `      if [[ $cur == -* ]]; then _probity_words "$options"; ${operand === '' ? '' : `else ${operand}`}fi ;;`,
  ].join('\n');
}

const ACTIONS: FixedValues = {
  none: '',
  any: '',
  requirement: '_probity_words "$_probity_requirements"; ',
  requirements: '_probity_list "$_probity_requirements"; ',
  file: '_probity_files -f; ',
  folder: '_probity_files -d; ',
  report: "_probity_files -f -X '!*.json' -o plusdirs; ",
};

function action(values: Values): string {
  if (values.kind === 'words') return `_probity_words '${values.words.join(' ')}'; `;
  if (values.kind === 'list') return `_probity_list '${values.words.join(' ')}'; `;
  return ACTIONS[values.kind];
}
