import { InvalidArgumentError } from 'commander';
import { PACKAGE_TYPES, type PackageCommand, type ServiceSettings } from '../settings/settings.ts';

type PackageCommands = ServiceSettings['packageCommands'];

const FORM = 'It must be a type of packages and a command, such as "npm=my-sandbox {identifier}@{version}".';

/** A command for a type of packages, as the operator writes it. */
export function packageCommands(value: string, before: PackageCommands = {}): PackageCommands {
  const at = value.indexOf('=');
  const type = PACKAGE_TYPES.find((one) => one === value.slice(0, Math.max(at, 0)));
  if (type === undefined)
    throw new InvalidArgumentError(`${FORM} The types are ${PACKAGE_TYPES.join(', ')}.`);
  if (before[type] !== undefined)
    throw new InvalidArgumentError(`There is a command for ${type} already. Give one for each type.`);
  return { ...before, [type]: commandIn(value.slice(at + 1)) };
}

function commandIn(line: string): PackageCommand {
  const [program, ...rest] = wordsOf(line);
  if (program === undefined) throw new InvalidArgumentError(FORM);
  const placeholders = [...line.matchAll(/\{([a-z]+)\}/gi)].map(([, name]) => name);
  const unknown = placeholders.find((name) => name !== 'identifier' && name !== 'version');
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `{${unknown}} is not a placeholder. There are {identifier} and {version}, the name and the version of the package.`,
    );
  if (/\{(identifier|version)\}/.test(program))
    throw new InvalidArgumentError('The program must be yours: a placeholder can only be in its arguments.');
  if (!placeholders.includes('identifier'))
    throw new InvalidArgumentError(
      'It has no {identifier}, so it would start the same program for every package. Add it where the name of the package belongs.',
    );
  return [program, ...rest];
}

const WORD = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs;

/**
 * The words of a line as a shell splits it, with quotes and backslashes, and without anything else that a shell does: no
 * shell ever sees the line.
 */
function wordsOf(line: string): readonly string[] {
  if (line.replaceAll(WORD, '').trim() !== '')
    throw new InvalidArgumentError('It has a quote that does not end, or a backslash at its end.');
  return (line.match(WORD) ?? []).map((word) =>
    word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_all, plain, quoted, escaped) =>
      quoted === undefined ? (plain ?? escaped) : quoted.replaceAll(/\\(["\\$`])/g, '$1'),
    ),
  );
}
