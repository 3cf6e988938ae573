import type { Exchange } from 'probity/model';
import { expect, it } from 'vitest';
import { testSamples } from '../../src/checking/test-samples.ts';
import { OwnNetwork } from '../../src/watching/observe-target.ts';
import { listingOf } from '../entries/listings.ts';

const target = (host: string) => {
  const endpoint = `https://${host}.example`;
  return { id: host, endpoint, listing: listingOf(host, endpoint) };
};
const request = { key: 'health', method: 'GET', url: 'https://one.example/health', headers: [], body: null };
const timing = { connectMs: null, firstByteMs: null };
const at = (startedAtMs: number, durationMs = 1) => ({ ...timing, startedAtMs, durationMs });
const answeredAt = (startedAtMs: number): Exchange => ({
  kind: 'answered',
  request,
  response: { status: 500, headers: [], body: { text: '' }, repeatedSecrets: [], oddities: [] },
  connection: { reused: false, tls: null },
  timing: at(startedAtMs),
});
const failedAt = (startedAtMs: number, code: 'connect-timeout' | 'name-lookup-failed'): Exchange => ({
  kind: 'unanswered',
  request,
  reason: { code, fault: 'network', message: 'no connection' },
  timing: at(startedAtMs, 10),
});

it('detects an outage of the own network by answers that began after the failure', async () => {
  const asked: string[] = [];
  let isCutOff = false;
  const network = new OwnNetwork({
    read: async ({ id }) => {
      asked.push(id);
      return isCutOff ? failedAt(Date.now(), 'connect-timeout') : answeredAt(Date.now());
    },
    findName: async () => undefined,
    patienceMs: 0,
  });
  const failure = failedAt(Date.now(), 'connect-timeout');
  expect(await network.works(target('one'), failure)).toBeNull();
  network.note(target('one'), answeredAt(Date.now()));
  network.note(target('one'), failure);
  expect(await network.works(target('one'), failure)).toBeNull();
  // An answer from before the failure shows nothing; one that began afterwards does.
  network.note(target('two'), answeredAt(failure.timing.startedAtMs - 1));
  isCutOff = true;
  expect([await network.works(target('one'), failure), asked]).toEqual([false, ['two']]);
  network.note(target('two'), answeredAt(failure.timing.startedAtMs + 10));
  expect([await network.works(target('one'), failure), asked]).toEqual([true, ['two']]);
  isCutOff = false;
  // Later than the last answer, also when everything so far took no millisecond.
  const later = failedAt(Date.now() + 1, 'connect-timeout');
  expect([await network.works(target('one'), later), asked]).toEqual([true, ['two', 'two']]);
});

it('detects a resolver that fails, by names that were found before', async () => {
  let isResolving = true;
  const network = new OwnNetwork({
    read: async () => answeredAt(Date.now()),
    findName: async () => {
      if (!isResolving) throw new Error('no resolver');
    },
    patienceMs: 0,
  });
  const failure = failedAt(Date.now(), 'name-lookup-failed');
  const literal = { ...target('two'), endpoint: 'http://127.0.0.1' };
  network.note(literal, answeredAt(Date.now()));
  // An address needs no resolver.
  expect(await network.works(target('one'), failure)).toBeNull();
  network.note(target('three'), answeredAt(Date.now()));
  expect(await network.works(target('one'), failure)).toBe(true);
  isResolving = false;
  expect(await network.works(target('one'), failure)).toBe(false);
});

it('uses the caller’s input for the functions that it matches', () => {
  const capabilities = {
    functions: [
      { name: 'a', inputs: ['city', 'unit'], outputs: [] },
      { name: 'b', parameters: { properties: { city: {}, day: {} }, required: ['city'] } },
      { name: 'c', parameters: { properties: { city: {}, day: {} }, required: ['day'] } },
      { name: '__proto__', inputs: [] },
      null,
      { name: 7 },
    ],
  };
  const listing = listingOf('x', 'https://x.example', { samples: { b: [{ input: {}, fails: true }] } });
  const namesOf = (input: Record<string, string>) =>
    testSamples(listing, capabilities, { input }).callersFunctions;
  expect(namesOf({ city: 'Lund' })).toEqual(['a', 'b']);
  expect(namesOf({ day: 'today' })).toEqual(['c']);
  expect(namesOf({ city: 'Lund', day: 'today' })).toEqual(['b', 'c']);
  expect(namesOf({})).toEqual(['__proto__']);
  expect(() => namesOf({ toString: 'x' })).toThrow(/matches no function/);
  const { samples } = testSamples(listing, capabilities, { input: { city: 'Lund' }, function: 'b' });
  expect(samples).toEqual({
    b: [
      { input: { city: 'Lund' }, fails: false },
      { input: {}, fails: true },
    ],
  });
  expect(() => testSamples(listing, capabilities, { function: 'd' })).toThrow(/lists no function "d"/);
  expect(testSamples(listing, null, { input: { any: 1 } }).callersFunctions).toEqual([]);
});
