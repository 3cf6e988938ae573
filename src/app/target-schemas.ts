import { createSchemaEvaluator } from '../checks/json/schema-evaluator.ts';
import type { RunSettings } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';

/** JSON Schema 2020-12 is the default dialect since this revision (basic, JSON Schema usage). */
const REVISION_WITH_DIALECT = '2025-11-25';

/** The evaluator for the schemas of a target. */
export function schemasFor({ bridged }: Pick<RunSettings, 'bridged'>): SchemaEvaluator {
  const isGiven = bridged !== undefined && /^\d/.test(bridged.protocolVersion);
  return createSchemaEvaluator(
    isGiven && bridged.protocolVersion >= REVISION_WITH_DIALECT ? '2020-12' : null,
  );
}
