import type { Requirement } from '../model/requirement.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { refuseEmptySpan, requirementsShape } from './requirements-language.ts';
import { reporterInto } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** The registry of requirements by id. */
export type Registry = ReadonlyMap<string, Requirement>;

/** Reads a registry; throws a SuiteError with everything that is wrong with it. Pure. */
export function parseRegistry(text: string, file: string): Registry {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const raw = tree === null ? undefined : requirementsShape.read(tree, report);
  const rows = new Map<string, Requirement>();
  for (const row of raw?.requirements ?? []) {
    const { id, level, spec, text: statement, why, fix, wire, since, until } = row;
    refuseEmptySpan(since, until, report);
    if (rows.has(id.value))
      report(
        'duplicate-id',
        id.place,
        `duplicate requirement "${id.value}"`,
        'Ids are unique and never reused.',
      );
    const plainLevel = typeof level === 'string' ? level : { A: level.A, B: level.B };
    rows.set(id.value, {
      id: id.value,
      level: plainLevel,
      spec,
      text: statement,
      why,
      fix: typeof fix === 'string' ? fix : { rest: fix.rest, mcp: fix.mcp },
      wire,
      since: since?.value,
      until: until?.value,
    });
  }
  if (diagnostics.length > 0) throw new SuiteError(diagnostics, new Map([[file, text]]));
  return rows;
}
