import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseAddress, refuseUrl } from '../../src/probe/address-guard.ts';
import { anyCharacter } from '../any-character.ts';
import { type Pick, type Written, writeAddress, writeUrl } from './address-notations.ts';
import { isSpecial, readAddress } from './special-addresses.ts';

/** `npm run addresses` tests a million; `npm test` a part of them. */
const COUNT = process.env.PROBITY_ADDRESSES === 'whole' ? 1_000_000 : 150_000;

/** Only a time-out for a busy machine that tests a million addresses. */
const PATIENCE_MS = 600_000;

interface Tally {
  readonly byNotation: Record<string, number>;
  publicAddresses: number;
  publicUrls: number;
}

describe('the address guard, compared with the IANA registries', () => {
  it(
    `agrees on ${COUNT} addresses in all notations, plain and in URLs`,
    () => {
      // A failure message contains the seed, which reproduces it.
      const seed = Number(process.env.SEED ?? randomInt(2 ** 32));
      const pick = seededPick(seed);
      const tally: Tally = { byNotation: {}, publicAddresses: 0, publicUrls: 0 };
      let tried = 0;
      for (; tried < COUNT; tried += 1) {
        const written = writeAddress(pick);
        const wrong = disagreement(written, writeUrl(written, pick), tally);
        if (wrong !== null) expect.fail(`${wrong} (SEED=${seed}, number ${tried})`);
      }
      expect(tried).toBe(COUNT);
      // Proves that the addresses are varied: a guard that refuses all or none would disagree.
      expect(Object.keys(tally.byNotation)).toHaveLength(14);
      for (const times of Object.values(tally.byNotation)) expect(times).toBeGreaterThan(COUNT / 50);
      expect(tally.publicAddresses).toBeGreaterThan(COUNT / 20);
      expect(tally.publicUrls).toBeGreaterThan(COUNT / 10);
    },
    PATIENCE_MS,
  );

  it('agrees on any notation, with the shortest counterexample', () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const pick: Pick = (limit) => gen(fc.integer, { min: 0, max: limit - 1 });
        const written = writeAddress(pick);
        expect(disagreement(written, writeUrl(written, pick))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees on text that is almost an address: one character added, removed or changed', () => {
    fc.assert(
      fc.property(fc.gen(), fc.constantFrom(...'0123456789abcdefgxX:.%[]-+/\0 '), (gen, character) => {
        const pick: Pick = (limit) => gen(fc.integer, { min: 0, max: limit - 1 });
        const { text } = writeAddress(pick);
        const at = pick(text.length + 1);
        const almost = `${text.slice(0, at)}${pick(2) === 0 ? '' : character}${text.slice(at + pick(2))}`;
        expect(refuseAddress(almost) !== null, JSON.stringify(almost)).toBe(isRefused(almost));
      }),
      { numRuns: 5000 },
    );
  });

  it('never throws on any text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefxX:.%[]@/') });
    const text = fc.oneof(fc.string({ unit: anyCharacter }), digits, fc.webUrl(), fc.domain());
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('', 'http://', 'https://[', 'ws://', 'foo://', 'file:'),
        (end, start) => {
          expect(() => refuseAddress(end)).not.toThrow();
          if (URL.canParse(start + end)) expect(() => refuseUrl(new URL(start + end))).not.toThrow();
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

/** How the guard and the registries differ, or null. */
function disagreement(written: Written, urlText: string, tally?: Tally): string | null {
  const { notation, text, inUrl } = written;
  const refused = isRefused(text);
  if ((refuseAddress(text) !== null) !== refused)
    return `refuseAddress(${JSON.stringify(text)}) should ${refused ? 'refuse' : 'pass'} (${notation})`;
  const url = URL.canParse(urlText) ? new URL(urlText) : null;
  const destination = url === null ? 'refused' : readAddress(url.hostname.replace(/^\[|\]$/g, ''));
  if (destination === null || (inUrl !== 'unclear' && destination !== inUrl))
    return `${JSON.stringify(urlText)} leads to ${destination} instead of ${inUrl} (${notation})`;
  const urlRefused = destination === 'refused' || isSpecial(destination);
  if (url !== null && (refuseUrl(url) !== null) !== urlRefused)
    return `refuseUrl(${JSON.stringify(urlText)}) should ${urlRefused ? 'refuse' : 'pass'} (${notation})`;
  if (tally !== undefined) {
    const key = `${text.includes(':') ? 6 : 4} ${notation}`;
    tally.byNotation[key] = (tally.byNotation[key] ?? 0) + 1;
    tally.publicAddresses += refused ? 0 : 1;
    tally.publicUrls += urlRefused ? 0 : 1;
  }
  return null;
}

function isRefused(text: string): boolean {
  const bits = readAddress(text);
  return bits === null || isSpecial(bits);
}

/** Pseudo-random whole numbers, the same for the same seed (mulberry32). */
function seededPick(seed: number): Pick {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
