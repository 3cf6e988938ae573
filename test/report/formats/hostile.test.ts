import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName, renderFormat } from '../../../src/check/render/render-format.ts';
import { isMeasurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import { isCommand, LIVE } from '../live-text.ts';
import { BENCH, EXCHANGES, WHOLE } from './cells.ts';
import { HOSTILE } from './hostile-texts.ts';
import { readerOf } from './readers.ts';

/** Every text from a target is this one. */
function said(text: string): TestResult {
  const { target, results, findings, responseTimes, errors, baseline } = WHOLE;
  return {
    ...WHOLE,
    target: {
      ...target,
      url: `http://127.0.0.1:3000/?q=${text}`,
      name: text,
      version: text,
      mcpVersion: text,
    },
    results: results.map((row) => (row.outcome === 'inapplicable' ? { ...row, reason: text } : row)),
    findings: findings.map((finding) => ({
      ...finding,
      message: text,
      expected: text,
      received: text,
      fix: text,
      curl: `curl -sS '${text}'`,
      request: { method: 'GET', url: `http://127.0.0.1:3000/?q=${text}` },
      where: { ...finding.where, function: text, case: text, pointer: text },
    })),
    responseTimes: responseTimes.map((times) => ({
      ...times,
      ...(times.function === undefined ? {} : { function: text }),
      ...(isMeasurement(times)
        ? {
            unreliable: times.unreliable.map(() => text),
            errorKinds: times.errorKinds.map((kind) => ({ ...kind, code: text, message: text })),
          }
        : {}),
    })),
    errors: errors.map((error) => ({ ...error, code: text, message: text })),
    samples: [{ function: text, input: { a: text }, output: [text], durationMs: 1 }],
    exchanges: EXCHANGES.map((exchange) =>
      exchange.kind === 'unanswered'
        ? { ...exchange, reason: { ...exchange.reason, message: text } }
        : {
            ...exchange,
            request: {
              ...exchange.request,
              url: `http://127.0.0.1:3000/${text.replaceAll(/[/?#]/g, '')}`,
              body: { text },
            },
            response: { ...exchange.response, headers: [[text, text]], body: { text } },
          },
    ),
    facts: [
      { name: 'bound', text },
      { name: text, text },
    ],
    ...(baseline === undefined
      ? {}
      : {
          baseline: {
            ...baseline,
            problems: baseline.problems.map((problem) => ({ ...problem, function: text, message: text })),
          },
        }),
  };
}

/** Text that has an effect in the raw file. */
function actingIn(files: readonly RenderedFile[]): readonly string[] {
  return files.flatMap(({ text }) => [
    ...(text.replaceAll('\n', '').match(new RegExp(LIVE, 'gu')) ?? []),
    ...text.split('\n').filter(isCommand),
  ]);
}

describe.each(FORMAT_NAMES)('text from a target, in the format %s', (format: FormatName) => {
  test.each(HOSTILE.map((text) => [JSON.stringify(text), text]))('stays text: %s', async (_, text) => {
    const reader = readerOf(format);
    const [tame, hostile] = await Promise.all([
      renderFormat(said('tame'), format),
      renderFormat(said(text), format),
    ]);
    const [expected, reading] = [reader.read(tame), reader.read(hostile)];
    expect(reading.faults).toEqual([]);
    expect(reading.structure).toEqual(expected.structure);
    if (format === 'github') expect(actingIn(hostile).length).toBe(actingIn(tame).length);
    else expect(actingIn(hostile)).toEqual(actingIn(tame));
    if (reader.told === null) return;
    const told = reader.told(text).trim();
    expect(
      reading.texts.some((shown) => shown.includes(told)),
      `${told} is not told`,
    ).toBe(true);
  });
});

describe.each(FORMAT_NAMES)('a load, in the format %s', (format: FormatName) => {
  test('is a readable document that does not report a pass', async () => {
    const files = await renderFormat(BENCH, format);
    expect(readerOf(format).read(files).faults).toEqual([]);
    for (const { text } of files) expect(text).not.toMatch(/✅|"pass"/);
  });
});
