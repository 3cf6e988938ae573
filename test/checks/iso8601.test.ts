import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIso8601 } from '../../src/checks/iso8601.ts';

/** The time in UTC, as toISOString writes it. */
const momentOf = (text: string): string | undefined => {
  const parsed = parseIso8601(text);
  return parsed === undefined
    ? undefined
    : new Date(parsed.localMs - (parsed.offsetMinutes ?? 0) * 60_000).toISOString();
};

describe('dates and times', () => {
  test.each([
    ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31T12:34:56.789Z', '2026-01-31T12:34:56.789Z'],
    ['2026-01-31T12:34:56,789Z', '2026-01-31T12:34:56.789Z'],
    ['2026-01-31T12:34:56.123456789Z', '2026-01-31T12:34:56.123Z'],
    [`2026-01-31T12:34:56.${'1'.repeat(100)}Z`, '2026-01-31T12:34:56.111Z'],
    ['2026-01-31t12:34:56z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31T12:34Z', '2026-01-31T12:34:00.000Z'],
    ['2026-01-31T12Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12.5Z', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:30.5Z', '2026-01-31T12:30:30.000Z'],
    ['20260131T123456Z', '2026-01-31T12:34:56.000Z'],
    ['20260131T1234+0100', '2026-01-31T11:34:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['+002026-01-31T00:00:00Z', '2026-01-31T00:00:00.000Z'],
    ['-000001-01-01T00:00:00Z', '-000001-01-01T00:00:00.000Z'],
  ])('%s', (text, moment) => {
    expect(momentOf(text)).toBe(moment);
  });

  test.each([
    ['2026-01-31T12:00:00+02:00', 120, '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00-05:30', -330, '2026-01-31T17:30:00.000Z'],
    ['2026-01-31T12:00:00+02', 120, '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00+0200', 120, '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T00:30:00+01:00', 60, '2026-01-30T23:30:00.000Z'],
    ['2026-01-31T12:00:00Z', 0, '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00', null, '2026-01-31T12:00:00.000Z'],
  ])('offset of %s', (text, offsetMinutes, moment) => {
    expect(parseIso8601(text)?.offsetMinutes).toBe(offsetMinutes);
    expect(momentOf(text)).toBe(moment);
  });

  test.each([
    ['2026-W05-6T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026W056T120000Z', '2026-01-31T12:00:00.000Z'],
    ['2025-W01-1T00:00:00Z', '2024-12-30T00:00:00.000Z'],
    ['2026-W53-7T00:00:00Z', '2027-01-03T00:00:00.000Z'],
    ['2020-W53-5T00:00:00Z', '2021-01-01T00:00:00.000Z'],
    ['2026-031T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026031T120000Z', '2026-01-31T12:00:00.000Z'],
    ['2024-366T00:00:00Z', '2024-12-31T00:00:00.000Z'],
    ['2025-365T00:00:00Z', '2025-12-31T00:00:00.000Z'],
  ])('week and ordinal dates: %s', (text, moment) => {
    expect(momentOf(text)).toBe(moment);
  });

  test.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
    ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['2026-12-31T24:00Z', '2027-01-01T00:00:00.000Z'],
    ['2026-01-31T24:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ])('leap seconds and the end of the day: %s', (text, moment) => {
    expect(momentOf(text)).toBe(moment);
  });
});

describe('invalid dates and times', () => {
  test.each([
    ['a day that does not exist', '2026-02-29T00:00:00Z'],
    ['a leap day in the year 1900', '1900-02-29T00:00:00Z'],
    ['the 31st of April', '2026-04-31T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['month 0', '2026-00-01T00:00:00Z'],
    ['day 366 of a common year', '2026-366T00:00:00Z'],
    ['day 0 of the year', '2026-000T00:00:00Z'],
    ['week 53 of a year with 52', '2025-W53-1T00:00:00Z'],
    ['week 54', '2026-W54-1T00:00:00Z'],
    ['week 0', '2026-W00-1T00:00:00Z'],
    ['day 8 of a week', '2026-W05-8T00:00:00Z'],
    ['hour 25', '2026-01-31T25:00:00Z'],
    ['hour 24 and a minute', '2026-01-31T24:01:00Z'],
    ['hour 24 and half a second', '2026-01-31T24:00:00.5Z'],
    ['minute 60', '2026-01-31T12:60:00Z'],
    ['second 61', '2026-01-31T23:59:61Z'],
    ['an offset of 24 hours', '2026-01-31T12:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-31T12:00:00+01:60'],
    ['a date alone', '2026-01-31'],
    ['a space for the T', '2026-01-31 12:00:00Z'],
    ['a leading space', ' 2026-01-31T12:00:00Z'],
    ['a trailing line break', '2026-01-31T12:00:00Z\n'],
    ['extended date, basic time', '2026-01-31T120000Z'],
    ['basic date, extended time', '20260131T12:00:00Z'],
    ['one digit for the month', '2026-1-31T12:00:00Z'],
    ['a year of two digits', '26-01-31T12:00:00Z'],
    ['a year of five digits', '12026-01-31T12:00:00Z'],
    ['a fraction without digits', '2026-01-31T12:00:00.Z'],
    ['the name of a zone', '2026-01-31T12:00:00[Europe/Paris]'],
    ['a year out of range, by week', '+999999-W01-1T00:00:00Z'],
    ['a year out of range, by day', '+999999-001T00:00:00Z'],
    ['other digits', '２０２６-01-31T12:00:00Z'],
    ['the format of e-mail', 'Sat, 31 Jan 2026 12:00:00 GMT'],
    ['Unix time', '1769860800'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(parseIso8601(text)).toBeUndefined();
  });
});

describe('in general', () => {
  test('a time that JavaScript writes is parsed as the same time', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(momentOf(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });

  test('week dates agree with the calendar', () => {
    const DAY_MS = 86_400_000;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9998 }),
        fc.integer({ min: 1, max: 53 }),
        fc.integer({ min: 1, max: 7 }),
        (year, week, day) => {
          const text = `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}-${day}T00:00:00Z`;
          const parsed = parseIso8601(text);
          if (parsed === undefined) {
            expect(week).toBe(53);
            return;
          }
          const date = new Date(parsed.localMs);
          expect((date.getUTCDay() + 6) % 7).toBe(day - 1);
          const thursday = new Date(parsed.localMs + (4 - day) * DAY_MS);
          expect(thursday.getUTCFullYear()).toBe(year);
          const firstOfYear = new Date(0).setUTCFullYear(year, 0, 1);
          expect(Math.floor((thursday.getTime() - firstOfYear) / DAY_MS / 7) + 1).toBe(week);
        },
      ),
    );
  });

  test('any text is parsed or refused, and never gives NaN', () => {
    const pieces = fc.constantFrom(
      '2026',
      '-',
      ':',
      'T',
      'W',
      '01',
      '31',
      '12',
      '60',
      '.5',
      'Z',
      '+',
      '99',
      '000',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 16 }), (parts) => {
        const parsed = parseIso8601(parts.join(''));
        expect(parsed === undefined || Number.isFinite(parsed.localMs)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
