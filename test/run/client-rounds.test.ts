import { expect, test } from 'vitest';
import { changedState } from '../../src/run/experiments/client-rounds.ts';

test('a changed state means something else in hexadecimal and in base64, in whichever place it is changed', () => {
  for (const character of '0123456789abcdefABCDEF') {
    const changed = changedState(`00${character}000`.slice(0, 5));
    expect(Buffer.from(`${changed}0`, 'hex')).not.toEqual(Buffer.from(`00${character}000`, 'hex'));
  }
  // The last characters of a part whose last bits do not count.
  for (const end of 'AQgw') {
    const changed = changedState(`x${end}y`).slice(0, 2);
    expect(Buffer.from(changed, 'base64')).not.toEqual(Buffer.from(`x${end}`, 'base64'));
  }
  for (const end of 'AEIMQUYcgkosw048') {
    const changed = changedState(`xx${end}yy`).slice(0, 3);
    expect(Buffer.from(changed, 'base64')).not.toEqual(Buffer.from(`xx${end}`, 'base64'));
  }
});
