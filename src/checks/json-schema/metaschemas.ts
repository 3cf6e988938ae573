import applicator201909 from 'ajv/dist/refs/json-schema-2019-09/meta/applicator.json' with { type: 'json' };
import content201909 from 'ajv/dist/refs/json-schema-2019-09/meta/content.json' with { type: 'json' };
import core201909 from 'ajv/dist/refs/json-schema-2019-09/meta/core.json' with { type: 'json' };
import format201909 from 'ajv/dist/refs/json-schema-2019-09/meta/format.json' with { type: 'json' };
import metaData201909 from 'ajv/dist/refs/json-schema-2019-09/meta/meta-data.json' with { type: 'json' };
import validation201909 from 'ajv/dist/refs/json-schema-2019-09/meta/validation.json' with { type: 'json' };
import schema201909 from 'ajv/dist/refs/json-schema-2019-09/schema.json' with { type: 'json' };
import applicator202012 from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content202012 from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core202012 from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import format202012 from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with {
  type: 'json',
};
import metaData202012 from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated202012 from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation202012 from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import schema202012 from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import schemaDraft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import schemaDraft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import type { JsonObject } from '../../json/json.ts';
import type { Draft } from './drafts.ts';

/** The schemas of schemas, so that no reference to one of them needs the network. */
export const METASCHEMAS: readonly { readonly draft: Draft; readonly schema: JsonObject }[] = [
  { draft: 'draft-06', schema: withAnyEnum(schemaDraft06) },
  { draft: 'draft-07', schema: withAnyEnum(schemaDraft07) },
  ...[
    schema201909,
    applicator201909,
    content201909,
    core201909,
    format201909,
    metaData201909,
    validation201909,
  ].map((schema) => ({ draft: '2019-09', schema }) as const),
  ...[
    schema202012,
    applicator202012,
    content202012,
    core202012,
    format202012,
    metaData202012,
    unevaluated202012,
    validation202012,
  ].map((schema) => ({ draft: '2020-12', schema }) as const),
];

/** These two ask that an enum has values and none twice, where their specifications only recommend it. */
function withAnyEnum(schema: JsonObject & { readonly properties: JsonObject }): JsonObject {
  return { ...schema, properties: { ...schema.properties, enum: { type: 'array' } } };
}
