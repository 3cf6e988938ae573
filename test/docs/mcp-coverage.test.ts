import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSuites } from '../../src/suite/load-suites.ts';

const PAGE = readFileSync(new URL('../../docs/mcp-coverage.md', import.meta.url), 'utf8');
const { registry } = await loadSuites();

/** The cells of each line of the tables, by the heading above them. */
const tables = new Map(
  PAGE.split('\n## ').map((section) => {
    const lines = section.split('\n').filter((line) => line.startsWith('| '));
    const cells = lines.map((line) => line.slice(2, -2).split(' | '));
    return [
      section.split('\n', 1)[0] ?? '',
      cells.filter(([first]) => !/^(?:---|page|scenario|proposal|rule|row)$/.test(first ?? '')),
    ];
  }),
);
const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z]+\/[a-z0-9-]+)`/g)].map(([, id = '']) => id);

describe('the page of what is judged of the protocol', () => {
  it('has as many lines as the sets that it compares with', () => {
    expect(Object.fromEntries([...tables].map(([heading, lines]) => [heading, lines.length]))).toMatchObject({
      'The specification, revision 2026-07-28': 67,
      'The official suite, revision 2025-11-25': 30 + 3,
      'The official suite, revision 2026-07-28': 37 + 13 + 57,
      'mcp-compliance, revision 2025-11-25': 88,
    });
  });

  it('gives each line rows that exist, or a reason', () => {
    for (const line of [...tables.values()].flat()) {
      const last = line.at(-1) ?? '';
      expect(last, line.join(' | ')).not.toBe('');
      for (const id of idsIn(last)) expect(registry.has(id), id).toBe(true);
      const isReason = /^[a-z]+ [a-z]+ /.test(last);
      expect(idsIn(line.join(' ')).length > 0 || isReason, line.join(' | ')).toBe(true);
    }
  });

  it('has a row for each scenario that is scored', () => {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const scenarios = tables.get(`The official suite, revision ${revision}`) ?? [];
      const scored = scenarios.slice(0, revision === '2025-11-25' ? 30 : 37);
      for (const [name = '', rows = ''] of scored)
        expect([name, idsIn(rows).length > 0]).toEqual([name, true]);
    }
  });

  it('has every row of the protocol', () => {
    const named = new Set(idsIn(PAGE));
    expect([...registry.keys()].filter((id) => id.startsWith('mcp/') && !named.has(id))).toEqual([]);
  });
});
