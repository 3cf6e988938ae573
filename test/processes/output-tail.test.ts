import { describe, expect, it } from 'vitest';
import { createOutputTail, lastLines } from '../../src/processes/output-tail.ts';

describe('the output of a started server', () => {
  it('is stored up to a limit, which keeps its end', () => {
    const tail = createOutputTail(1000);
    for (let line = 0; line < 5000; line += 1) tail.add(Buffer.from(`line ${line}\n`));
    expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(1000);
    expect(tail.text()).toMatch(/line 4998\nline 4999\n$/);
  });

  it('leaves out the rest of a line that was cut, in which a part of a secret would not be recognised', () => {
    const tail = createOutputTail(10);
    tail.add(Buffer.from('x'.repeat(50)));
    expect(tail.text()).toBe('');
    tail.add(Buffer.from('\nlast\n'));
    expect(tail.text()).toBe('last\n');
  });

  it('is shown as its last lines, shortened', () => {
    const text = `${'y'.repeat(1000)}\r\n${Array.from({ length: 30 }, (_, index) => `line ${index}\n\n`).join('')}`;
    expect(lastLines(text)).toHaveLength(20);
    expect(lastLines(text).at(-1)).toBe('  line 29');
    expect(lastLines('z'.repeat(1000))).toEqual([`  ${'z'.repeat(300)}…`]);
    expect(lastLines('\n \n')).toEqual([]);
  });
});
