import {
  bound,
  itemTerm,
  numberRange,
  propertyTerm,
  requiredOf,
  type Shape,
  shapesOf,
  type Term,
  type TypedShape,
  type Workshop,
} from './shapes.ts';

const MAX_DEPTH = 4;

/** Whether it can be shown that a shape has no values: a proof may leave it out. */
export function isEmpty(shape: Shape, shop: Workshop, depth = 0): boolean {
  if (shape.kind === 'values') return shape.values.length === 0;
  const { type, all, document } = shape;
  const isNever = (term: Term): boolean =>
    depth < MAX_DEPTH && shapesOf(term, shop).every((one) => isEmpty(one, shop, depth + 1));
  switch (type) {
    case 'string':
      return isOutOfBounds(shape, 'minLength', 'maxLength');
    case 'array': {
      const least = Math.min(bound(all, 'minItems', 'largest') ?? 0, 10);
      if (isOutOfBounds(shape, 'minItems', 'maxItems')) return true;
      return Array.from({ length: least }, (_, index) => index).some((index) =>
        isNever(itemTerm(all, index, document)),
      );
    }
    case 'object': {
      const required = requiredOf(all);
      if (required.size > (bound(all, 'maxProperties', 'smallest') ?? Infinity)) return true;
      if (isOutOfBounds(shape, 'minProperties', 'maxProperties')) return true;
      return [...required].some((name) => isNever(propertyTerm(all, name, document, shop)));
    }
    default:
      return hasNoNumber(shape);
  }
}

function isOutOfBounds({ all }: TypedShape, minimum: string, maximum: string): boolean {
  return (bound(all, minimum, 'largest') ?? 0) > (bound(all, maximum, 'smallest') ?? Infinity);
}

function hasNoNumber(shape: TypedShape): boolean {
  const { low, high, isLowOpen, isHighOpen } = numberRange(shape);
  if (low > high || (low === high && (isLowOpen || isHighOpen))) return true;
  const steps = shape.all.flatMap(({ multipleOf }) =>
    Number.isSafeInteger(multipleOf) ? [multipleOf as number] : [],
  );
  return steps.some((step) => {
    const first = Math.ceil(low / step) * step;
    return Number.isSafeInteger(first) && first > high;
  });
}
