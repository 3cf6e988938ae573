import { createSchemaEvaluator } from '../checks/json/schema-evaluator.ts';
import type { Json } from '../json/json.ts';
import type { RunSettings } from '../model/report.ts';
import type { ForeignSchema, SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Opened } from '../model/wire.ts';

/** JSON Schema 2020-12 is the default dialect since this revision (basic, JSON Schema usage). */
const REVISION_WITH_DIALECT = '2025-11-25';

/** The evaluator for the schemas of a target. Of the Model Context Protocol, the revision decides the default dialect. */
export class TargetSchemas implements SchemaEvaluator {
  readonly #onUse: () => void;
  #evaluator: SchemaEvaluator;

  /** @param onUse called before each use of a schema */
  constructor({ mcp }: Pick<RunSettings, 'mcp'>, onUse: () => void = () => undefined) {
    this.#onUse = onUse;
    this.#evaluator = createSchemaEvaluator(mcp === undefined ? null : '2020-12');
  }

  /** Called once it is known which revision both sides speak, before any schema of the target is read. */
  readonly speak = ({ version }: Opened): void => {
    if (version < REVISION_WITH_DIALECT) this.#evaluator = createSchemaEvaluator(null);
  };

  apply(schema: Json, value: Json) {
    this.#onUse();
    return this.#evaluator.apply(schema, value);
  }

  foreign(schema: Json): ForeignSchema {
    this.#onUse();
    const foreign = this.#evaluator.foreign(schema);
    if (foreign.kind !== 'usable') return foreign;
    const apply = (value: Json) => {
      this.#onUse();
      return foreign.apply(value);
    };
    return { ...foreign, apply };
  }
}
