import { Refused } from '../natural-server.ts';

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function exists({ year, month, day }: Day): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
}

/** Reads a text of the format `date`, and refuses a day that does not exist. */
export function readDay(given: string): Day {
  const [year = 0, month = 0, day = 0] = given.split('-').map(Number);
  if (!exists({ year, month, day })) throw new Refused('INVALID_DATE', 'There is no such day.', 422);
  return { year, month, day };
}

/** The text of a day, or undefined for a day that does not exist. */
export function writeDay(day: Day): string | undefined {
  if (!exists(day)) return undefined;
  const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
  return `${padded(day.year, 4)}-${padded(day.month, 2)}-${padded(day.day, 2)}`;
}

/** A year must have four digits, also after the function has moved on to the next one. */
export function refuseLastYear({ year }: Day): void {
  if (year >= 9999) throw new Refused('OUT_OF_RANGE', 'The calendar ends with the year 9999.', 422);
}
