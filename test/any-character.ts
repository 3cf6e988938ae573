import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff;

/**
 * Any character, without halves of surrogate pairs: the unit `binary` of fast-check, which however lists all of them in
 * a table first, in every process.
 */
export const anyCharacter = fc.nat({ max: LAST - SURROGATES }).map(
  (place) => String.fromCodePoint(place < SURROGATES_FROM ? place : place + SURROGATES),
  (value) => {
    const code = typeof value === 'string' ? (value.codePointAt(0) ?? 0) : 0;
    if (value !== String.fromCodePoint(code)) throw new Error('not one character');
    return code < SURROGATES_FROM ? code : code - SURROGATES;
  },
);
