import { describe, expect, test } from 'vitest';
import { bodyCharacters } from '../../src/model/exchange.ts';
import { bytesFrom, callIn, methodAndPlace } from '../../src/model/sent.ts';
import { exchangeSpan } from '../../src/notify/otlp-spans.ts';
import { meaningOf } from '../../src/report/answer-words.ts';
import { resultIn } from '../../src/report/coverage.ts';
import { renderHar } from '../../src/report/formats/har.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { answersOf } from '../../src/report/view/answers.ts';
import { reportView } from '../../src/report/view/report-view.ts';
import { answer, noAnswer } from '../checks/example.ts';
import { answerLine, CALL, heard, sentLine } from './message-exchanges.ts';
import { finding, resultOf, row } from './results.ts';

const RESULT = { result: { content: [{ type: 'text', text: '3' }], structuredContent: { sum: 3 } } };
const REFUSED = { error: { code: -32602, message: 'Unknown tool' } };
const FAILED = { result: { isError: true, content: [{ type: 'text', text: 'it broke' }] } };

describe('a message of the Model Context Protocol', () => {
  test('is named by its method of JSON-RPC and its conversation', () => {
    const overHttp = { ...answer().request, ...messageBody(CALL) };
    for (const sent of [sentLine(CALL), overHttp]) {
      expect(methodAndPlace(sent)).toEqual({ method: 'tools/call', place: 'main', isUrl: false });
      expect(callIn(sent)).toEqual({ functionName: 'add', input: { a: 1 } });
    }
    const noMessage = { ...sentLine(CALL), line: bytesFrom(Buffer.from([0xff, 0x0a])) };
    expect(methodAndPlace(noMessage).method).toBe('bytes');
    expect(callIn(noMessage)).toBeNull();
  });

  test.each([
    [heard([answerLine(RESULT)]), 'result', true],
    [heard([answerLine(REFUSED)]), 'error -32602: Unknown tool', false],
    [heard([answerLine(FAILED)]), 'isError: it broke', false],
    [heard([], { end: 'closed' }), 'the server ended', false],
    [heard(['noise']), 'no message answers the request', false],
    [heard([], { end: 'silent', request: notified() }), 'no answer', true],
  ])('has an answer in words: %#', (exchange, words, isServed) => {
    expect(meaningOf(exchange)).toMatchObject({ words, isServed });
  });

  test('over HTTP has the words of both if both are errors', () => {
    const refused = answer({ status: 400, value: { jsonrpc: '2.0', id: 1, ...REFUSED } });
    const exchange = { ...refused, request: { ...refused.request, ...messageBody(CALL) } };
    expect(meaningOf(exchange)).toMatchObject({
      words: 'status 400, error -32602: Unknown tool',
      isError: true,
      isServersError: false,
    });
  });

  test('gives the result of a tool, with the digits of its numbers', () => {
    const form = { form: 'B' } as const;
    expect(resultIn(heard([answerLine(RESULT)]), form)).toEqual({ sum: 3 });
    const long = answerLine(RESULT).replace('"sum":3', '"sum":12345678901234567890');
    expect(JSON.stringify(resultIn(heard([long]), form))).not.toBe('{"sum":12345678901234567000}');
    expect(resultIn(heard([answerLine(FAILED)]), form)).toBeUndefined();
    expect(resultIn(noAnswer({ code: 'timeout', fault: 'server', message: 'late' }), form)).toBeUndefined();
  });

  test('is a span with its method, not one of HTTP', () => {
    const ids = { traceId: '1', spanId: '2', parentSpanId: '3' };
    const span = exchangeSpan(heard([answerLine(RESULT)]), ids);
    expect(span).toMatchObject({ name: 'tools/call', status: {} });
    expect(JSON.stringify(span)).toContain('"mcp.method.name"');
    expect(JSON.stringify(span)).not.toContain('http');
    expect(exchangeSpan(heard([], { end: 'closed' }), ids)).toMatchObject({
      status: { code: 2, message: 'no answer: closed' },
    });
  });

  test('counts what was heard in the size of a report, and is written as it is', () => {
    const long = answerLine({ result: { text: 'x'.repeat(200_000) } });
    const exchanges = [heard(['{}', long])];
    expect(exchanges.map(bodyCharacters)).toEqual([long.length + 2]);
    const text = serialiseReport(resultOf([], { exchanges }));
    expect(JSON.parse(text)).toMatchObject({ exchanges });
  });

  test('is not in an HTTP Archive', () => {
    const [file] = renderHar(resultOf([], { exchanges: [heard([answerLine(RESULT)])] }));
    expect(JSON.parse(file?.text ?? '')).toMatchObject({ log: { entries: [] } });
  });
});

describe('a page', () => {
  const exchange = heard(['noise', answerLine(RESULT)]);
  const where = {
    ...finding('mcp/a').where,
    exchange: exchange.request.key,
    pointer: '/result/structuredContent',
  };
  const findings = [finding('mcp/a', { where })];
  const passed = row('mcp/b', 'passed', { decidedBy: { exchange: exchange.request.key, count: 1 } });
  const result = resultOf([row('mcp/a', 'failed'), passed], { findings, exchanges: [exchange] });

  test('marks the place of a finding in the message that answers', () => {
    const { causes, evidence } = reportView(result);
    expect([...answersOf(causes, result).values()]).toMatchObject([
      {
        words: 'tools/call (main): result, 2.500 ms',
        sent: expect.stringContaining('\n>   "method": "tools/call",\n'),
        headers: [],
        marked: '{"sum":3}',
      },
    ]);
    expect(evidence.exchanges).toMatchObject([
      {
        words: 'tools/call (main): result, 2.500 ms',
        parts: [`> ${JSON.stringify(CALL)}`, 'noise', answerLine(RESULT)],
      },
    ]);
  });
});

function messageBody(message: object) {
  return { message: sentLine(CALL).message, body: { text: JSON.stringify(message) } };
}

/** Nothing is to be answered. */
function notified() {
  return { ...sentLine(CALL), message: { conversation: 'main', awaited: null } };
}
