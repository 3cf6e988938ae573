export interface Iso8601DateTime {
  /** Offset from UTC in minutes; null when the text gives none. */
  readonly offsetMinutes: number | null;
  /** The local date and time as if it were UTC, Unix milliseconds. */
  readonly localMs: number;
}

const CALENDAR = String.raw`(?<year>[+-]\d{6}|\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|-W(?<week>\d\d)-(?<weekday>[1-7])|-(?<ordinal>\d{3}))`;
const TIME = String.raw`(?<hour>\d\d)(?::(?<minute>\d\d)(?::(?<second>\d\d))?)?(?<fraction>[.,]\d+)?`;
const ZONE = String.raw`(?<zone>Z|[+-]\d\d(?::?\d\d)?)?`;
const EXTENDED = new RegExp(`^${CALENDAR}T${TIME}${ZONE}$`, 'i');

const BASIC_CALENDAR = String.raw`(?<year>\d{4})(?:(?<month>\d\d)(?<day>\d\d)|W(?<week>\d\d)(?<weekday>[1-7])|(?<ordinal>\d{3}))`;
const BASIC_TIME = String.raw`(?<hour>\d\d)(?:(?<minute>\d\d)(?:(?<second>\d\d))?)?(?<fraction>[.,]\d+)?`;
const BASIC = new RegExp(`^${BASIC_CALENDAR}T${BASIC_TIME}${ZONE}$`, 'i');

const DAY_MS = 86_400_000;

/** Parses an ISO 8601 date and time, in its extended or basic format; undefined for any other text. */
export function parseIso8601(text: string): Iso8601DateTime | undefined {
  const groups = (EXTENDED.exec(text) ?? BASIC.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const dayMs = dateMs(groups);
  const timeMs = timeOfDayMs(groups);
  const offsetMinutes = parseZone(groups.zone);
  if (dayMs === undefined || timeMs === undefined || offsetMinutes === undefined) return undefined;
  return { offsetMinutes, localMs: dayMs + timeMs };
}

type Groups = Readonly<Record<string, string | undefined>>;

function dateMs({ year, month, day, week, weekday, ordinal }: Groups): number | undefined {
  const yearNumber = Number(year);
  if (month !== undefined && day !== undefined) return calendarDayMs(yearNumber, Number(month), Number(day));
  if (ordinal !== undefined) {
    const days = (utc(yearNumber + 1, 0, 1) - utc(yearNumber, 0, 1)) / DAY_MS;
    return Number(ordinal) >= 1 && Number(ordinal) <= days ? utc(yearNumber, 0, Number(ordinal)) : undefined;
  }
  const january4 = utc(yearNumber, 0, 4);
  const mondayOfWeek1 = january4 - ((new Date(january4).getUTCDay() + 6) % 7) * DAY_MS;
  const mondayMs = mondayOfWeek1 + (Number(week) - 1) * 7 * DAY_MS;
  // A week belongs to the year of its Thursday, so that most years have no week 53.
  const yearOfWeek = new Date(mondayMs + 3 * DAY_MS).getUTCFullYear();
  if (Number(week) < 1 || yearOfWeek !== yearNumber) return undefined;
  return mondayMs + (Number(weekday) - 1) * DAY_MS;
}

function calendarDayMs(year: number, month: number, day: number): number | undefined {
  const ms = utc(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined;
}

function utc(year: number, monthIndex: number, day: number): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  return date.setUTCFullYear(year, monthIndex, day);
}

function timeOfDayMs({ hour, minute, second, fraction }: Groups): number | undefined {
  const [hours, minutes, seconds] = [Number(hour), Number(minute ?? 0), Number(second ?? 0)];
  const part = fraction === undefined ? 0 : Number(`0.${fraction.slice(1)}`);
  const endOfDay = hours === 24 && minutes === 0 && seconds === 0 && part === 0;
  if ((hours > 23 && !endOfDay) || minutes > 59 || seconds > 60) return undefined;
  const unitMs = second !== undefined ? 1000 : minute !== undefined ? 60_000 : 3_600_000;
  return hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + part * unitMs;
}

function parseZone(zone: string | undefined): number | null | undefined {
  if (zone === undefined) return null;
  if (zone.toUpperCase() === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
