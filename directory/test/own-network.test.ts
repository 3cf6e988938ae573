import type { Exchange } from 'probity/model';
import { expect, it } from 'vitest';
import { createOwnNetwork } from '../src/probing/own-network.ts';
import { testSamples } from '../src/testing/test-samples.ts';
import { listingOf } from './listings.ts';

const target = (host: string) => {
  const endpoint = `https://${host}.example`;
  return { id: host, endpoint, listing: listingOf(host, endpoint) };
};
const request = { key: 'health', method: 'GET', url: 'https://one.example/health', headers: [], body: null };
const timing = { startedAtMs: 0, connectMs: null, firstByteMs: null, durationMs: 1 };
const answered: Exchange = {
  kind: 'answered',
  request,
  response: { status: 500, headers: [], body: { text: '' }, repeatedSecrets: [], oddities: [] },
  connection: { reused: false, tls: null },
  timing,
};
const silent: Exchange = {
  kind: 'unanswered',
  request,
  reason: { code: 'connect-timeout', fault: 'network', message: 'no connection within 10 s' },
  timing,
};

it('detects an outage of the own network by probing other servers', async () => {
  let nowMs = 0;
  const probed: string[] = [];
  let isCutOff = false;
  const network = createOwnNetwork(
    async ({ id }) => {
      probed.push(id);
      return isCutOff ? silent : answered;
    },
    () => nowMs,
  );
  expect(await network.works(target('one'))).toBeNull();
  network.note(target('one'), answered);
  network.note(target('one'), silent);
  expect(await network.works(target('one'))).toBeNull();
  network.note(target('two'), answered);
  expect([await network.works(target('one')), probed]).toEqual([true, []]);
  nowMs = 60_000;
  isCutOff = true;
  expect([await network.works(target('one')), probed]).toEqual([false, ['two']]);
  isCutOff = false;
  expect([await network.works(target('one')), probed]).toEqual([true, ['two', 'two']]);
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
