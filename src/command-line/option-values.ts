import { InvalidArgumentError, Option } from 'commander';
import { FORMAT_NAMES, type FormatName } from '../check/render/render-format.ts';
import type { WantedCall } from '../model/bench.ts';
import { isMinCoverage, MIN_COVERAGE_WORDS, type MinCoverage } from '../model/judgement.ts';
import { isOnCalendar } from '../text/day.ts';
import { nearest } from '../text/nearest-name.ts';

export function collected(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

export function listed(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...value.split(',').filter((id) => id !== '')];
}

/** Of a few names; another one is refused, with the nearest of them. */
export function listedOf(
  known: readonly string[],
): (value: string, earlier?: readonly string[]) => readonly string[] {
  return (value, earlier) =>
    listed(value, earlier).map((name) => {
      if (known.includes(name)) return name;
      const close = nearest(name, known);
      const remedy = close === undefined ? `Names are ${known.join(', ')}.` : `Did you mean "${close}"?`;
      throw new InvalidArgumentError(`Unknown name "${name}". ${remedy}`);
    });
}

/** A shell runs a blank command silently, so it is refused here. */
export function shellCommand(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give the command that starts the server.');
  return text;
}

export function formOption(
  choices: readonly string[],
  standard: string | undefined,
  description = 'wire form',
): Option {
  return new Option('--form <form>', description)
    .choices(choices)
    .argParser((value: string) => choiceOf(value, choices))
    .default(standard);
}

export function choiceOf(value: string, choices: readonly string[]): string {
  const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return found;
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

export function minCoverage(text: string): MinCoverage {
  const value = /^\d+$/.test(text) ? Number(text) : text;
  if (isMinCoverage(value)) return value;
  throw new InvalidArgumentError(`Give ${MIN_COVERAGE_WORDS}.`);
}

const IN_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

/** The shortest time that timers support. */
const MIN_SECONDS = 0.001;

export function seconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  const value = Number(match?.[1]) * (IN_SECONDS[match?.[2] ?? 's'] ?? 1);
  if (match === null || value < MIN_SECONDS || value > 86_400)
    throw new InvalidArgumentError('Give a time from 1ms to 1440m, such as 500ms, 30, 30s or 2m.');
  return value;
}

export function formats(text: string, earlier: readonly FormatName[] = []): readonly FormatName[] {
  const names = text.split(',').filter((name) => name !== '');
  const known = names.map((name) => {
    const found = FORMAT_NAMES.find((one) => one === name);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Unknown format "${name}". Formats are ${FORMAT_NAMES.join(', ')}.`);
  });
  if (known.length === 0)
    throw new InvalidArgumentError(`The list is empty. Formats are ${FORMAT_NAMES.join(', ')}.`);
  return [...new Set([...earlier, ...known])];
}

export function day(text: string): string {
  if (isOnCalendar(text)) return text;
  throw new InvalidArgumentError('Give a date such as 2026-12-31.');
}

export function calls(text: string, earlier: readonly WantedCall[] = []): readonly WantedCall[] {
  const [, name = '', weight] = /^(.+?)(?:=(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  const share = weight === undefined ? 1 : Number(weight);
  if (share > 0) {
    if (name === 'health' || name === 'capabilities')
      return [...earlier, { operation: name, functionName: null, weight: share }];
    const [, functionName] = /^execute:(.+)$/s.exec(name) ?? [];
    if (functionName !== undefined)
      return [...earlier, { operation: 'execute', functionName, weight: share }];
  }
  throw new InvalidArgumentError(
    'Give health, capabilities or execute:NAME, with =WEIGHT above 0 for a mix.',
  );
}

const MAX_PER_SECOND = 1_000_000;

export function rate(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MAX_PER_SECOND) return value;
  throw new InvalidArgumentError('Give a number of requests a second, such as 100.');
}

export function rateRange(text: string): { readonly lowPerSecond: number; readonly highPerSecond: number } {
  const [low = 0, high = 0, ...more] = text.split('..').map(Number);
  if (more.length === 0 && low > 0 && low <= high && high <= MAX_PER_SECOND)
    return { lowPerSecond: low, highPerSecond: high };
  throw new InvalidArgumentError('Give the lowest and the highest rate, such as 100..2000.');
}

export function share(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const value = Number(number) / (percent === undefined ? 1 : 100);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Give a number from 0 to 1, or a percentage such as 1%.');
}
