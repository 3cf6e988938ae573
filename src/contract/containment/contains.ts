import { createSchemaEvaluator } from '../../checks/json/schema-evaluator.ts';
import { isJsonObject, type Json } from '../../json/json.ts';
import type { ForeignSchema, SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { Prover } from './prove.ts';
import { NotDecided, type ProofBudget, type Term, TOO_MUCH, Workshop } from './shapes.ts';
import { knownText, NotFollowed, type SchemaPart, type Standalone, standalone } from './standalone.ts';
import { Candidates } from './witness.ts';

// Whether one schema accepts everything that another one accepts. It is decided from two sides, each of which can only be
// right: a proof, keyword by keyword, or a value that one schema accepts and the other refuses. What neither finds is
// unknown. To decide it in all cases takes exponential time, even for schemas without references.

export type Containment =
  | { readonly answer: 'yes' }
  /** The narrow schema accepts the value, and the wide one refuses it. */
  | { readonly answer: 'no'; readonly witness: Json }
  | { readonly answer: 'unknown'; readonly reason: string };

/** Which values are witnesses. */
export interface Meant {
  /** It has to accept them too: the narrow schema may be made from it. */
  readonly by?: SchemaPart;
  readonly is?: (value: Json) => boolean;
}

/** Values tried, before it is unknown. */
const MAX_TRIED = 3000;
/** To read a large document takes time, however little is asked of it. */
const FREE_CHARACTERS = 20_000;
const CHARACTERS_OF_STEP = 100;

/**
 * Whether `wide` accepts every value that `narrow` accepts (JSON Schema 2020-12; `format` accepts everything). Only a
 * value that is meant is a witness.
 */
export function contains(
  wide: SchemaPart,
  narrow: SchemaPart,
  budget: ProofBudget = { steps: Infinity },
  meant: Meant = {},
): Containment {
  if (wide.root === wide.schema && narrow.root === narrow.schema)
    if (knownText(wide.schema) === knownText(narrow.schema)) return { answer: 'yes' };
  if (budget.steps < 0) return unknown(TOO_MUCH);
  for (const { root } of [wide, narrow])
    budget.steps -= Math.max(0, knownText(root).length - FREE_CHARACTERS) / CHARACTERS_OF_STEP;
  const evaluator = createSchemaEvaluator();
  const problem = problemOf(wide.root, evaluator) ?? problemOf(narrow.root, evaluator);
  if (problem !== null) return unknown(problem);
  try {
    const [outer, inner] = [standalone(wide), standalone(narrow)];
    const given = meant.by === undefined ? null : standalone(meant.by);
    const isMeant = (shop: Workshop, value: Json): boolean =>
      (meant.is?.(value) ?? true) && (given === null || shop.apply(given.schema, given, value) === 'valid');
    return decide(termOf(outer), termOf(inner), () => new Workshop(evaluator, budget), isMeant);
  } catch (error) {
    if (error instanceof NotFollowed || error instanceof NotDecided) return unknown(error.message);
    throw error;
  }
}

function termOf(document: Standalone): Term {
  return { document, all: [document.schema] };
}

function decide(
  wide: Term,
  narrow: Term,
  newShop: () => Workshop,
  isMeant: (shop: Workshop, value: Json) => boolean,
): Containment {
  let reason = 'it can be neither shown nor disproved';
  try {
    if (new Prover(newShop()).holds(narrow, wide)) return { answer: 'yes' };
  } catch (error) {
    if (!(error instanceof NotDecided)) throw error;
    reason = error.message;
  }
  const witness = witnessOf(wide, narrow, newShop(), isMeant);
  return witness === undefined ? unknown(reason) : { answer: 'no', witness };
}

function witnessOf(
  wide: Term,
  narrow: Term,
  shop: Workshop,
  isMeant: (shop: Workshop, value: Json) => boolean,
): Json | undefined {
  let tried = 0;
  try {
    for (const value of new Candidates(shop).near(narrow, wide)) {
      tried += 1;
      if (tried > MAX_TRIED) return undefined;
      const isInNarrow = shop.apply(narrow.document.schema, narrow.document, value) === 'valid';
      if (isInNarrow && shop.apply(wide.document.schema, wide.document, value) === 'invalid')
        if (isMeant(shop, value)) return value;
    }
  } catch (error) {
    if (!(error instanceof NotDecided)) throw error;
  }
  return undefined;
}

/** By the document, whose parts are compared one by one. */
const problems = new WeakMap<object, { readonly problem: string | null }>();

/** What keeps a document from being used; null if nothing does. */
function problemOf(root: Json, evaluator: SchemaEvaluator): string | null {
  if (!isJsonObject(root)) return reasonOf(evaluator.foreign(root));
  const known = problems.get(root) ?? { problem: reasonOf(evaluator.foreign(root)) };
  problems.set(root, known);
  return known.problem;
}

function unknown(reason: string): Containment {
  return { answer: 'unknown', reason };
}

function reasonOf(schema: ForeignSchema): string | null {
  if (schema.kind === 'invalid') return `it is no valid schema: ${schema.problem.expected}`;
  return schema.kind === 'unusable' ? schema.reason : null;
}
