import { InvalidArgumentError, Option } from 'commander';

export function collected(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

export function listed(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...value.split(',').filter((id) => id !== '')];
}

export function formOption(choices: readonly string[], standard: string | undefined): Option {
  const option = new Option('--form <form>', `wire form: ${choices.join(', ')}`).argParser(
    (value: string) => {
      const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
      if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
      return found;
    },
  );
  return standard === undefined ? option : option.default(standard);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

const IN_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

export function seconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  const value = Number(match?.[1]) * (IN_SECONDS[match?.[2] ?? 's'] ?? 1);
  if (match === null || value <= 0 || value > 86_400)
    throw new InvalidArgumentError('Give a time above 0, such as 500ms, 30, 30s or 2m.');
  return value;
}
