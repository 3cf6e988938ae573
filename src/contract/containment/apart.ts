import { itemsOf } from '../../json/json.ts';
import {
  alternativesOf,
  numberRange,
  propertyTerm,
  requiredOf,
  type ShapeType,
  shapesOf,
  type TypedShape,
  typesOfAll,
  type Workshop,
} from './shapes.ts';
import type { PlainSchema, Standalone } from './standalone.ts';

const MAX_DEPTH = 4;

/** Whether it can be shown that no value is in the shape and in the schema. */
export function isApart(
  shape: TypedShape,
  schema: PlainSchema,
  of: Standalone,
  shop: Workshop,
  depth = 0,
): boolean {
  if (depth > MAX_DEPTH) return false;
  return alternativesOf({ document: of, all: [schema] }, shop).every((all) => {
    const types = typesOfAll(all);
    const type = commonType(shape.type, types);
    if (type === null) return true;
    const listing = all.find((one) => one.enum !== undefined);
    if (listing !== undefined)
      return itemsOf(listing.enum).every((value) =>
        shape.all.some((one) => shop.apply(one, shape.document, value) === 'invalid'),
      );
    const other: TypedShape = { kind: 'typed', type, document: of, all };
    if (type === 'object') return haveApartMember(shape, other, shop, depth);
    return type === 'number' || type === 'integer' ? areRangesApart(shape, other) : false;
  });
}

/** A type of which values can be in both. */
function commonType(own: ShapeType, types: ReadonlySet<string>): ShapeType | null {
  if (types.has(own)) return own;
  const areNumbers = (own === 'integer' && types.has('number')) || (own === 'number' && types.has('integer'));
  return areNumbers ? 'integer' : null;
}

function areRangesApart(left: TypedShape, right: TypedShape): boolean {
  const [one, other] = [numberRange(left), numberRange(right)];
  const isBelow = (a: typeof one, b: typeof one): boolean =>
    a.high < b.low || (a.high === b.low && (a.isHighOpen || b.isLowOpen));
  return isBelow(one, other) || isBelow(other, one);
}

/** A member that one of the two requires, and that cannot be right for both: such as the word that tells variants apart. */
function haveApartMember(left: TypedShape, right: TypedShape, shop: Workshop, depth: number): boolean {
  return [...requiredOf([...left.all, ...right.all])].some((name) => {
    const [own, other] = [left, right].map(({ all, document }) => propertyTerm(all, name, document, shop));
    if (own === undefined || other === undefined) return false;
    return shapesOf(own, shop).every((shape) =>
      other.all.some((schema) =>
        shape.kind === 'values'
          ? shape.values.every((value) => shop.apply(schema, other.document, value) === 'invalid')
          : isApart(shape, schema, other.document, shop, depth + 1),
      ),
    );
  });
}
