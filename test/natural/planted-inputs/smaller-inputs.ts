import type { Members } from '../natural-server.ts';
import type { PlantedCall } from './plant-input.ts';

/** Values with a shorter JSON text that differ from a value in one step. */
function smallerValues(value: unknown): readonly unknown[] {
  const simpler = ['', 0, [], null].filter((one) => typeof one === typeof value || typeof value !== 'object');
  return [...parts(value), ...simpler].filter(
    (one) => JSON.stringify(one).length < JSON.stringify(value).length,
  );
}

function parts(value: unknown): readonly unknown[] {
  if (typeof value === 'string') {
    return [...value].map((_, at, characters) => characters.toSpliced(at, 1).join(''));
  }
  if (typeof value === 'number') {
    return [Math.trunc(value), Math.trunc(value / 10), Number(value.toPrecision(1)), -value];
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.flatMap((item, at) => [
      items.toSpliced(at, 1),
      ...smallerValues(item).map((smaller) => items.with(at, smaller)),
    ]);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, member]) => [
      Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)),
      ...smallerValues(member).map((smaller) => ({ ...value, [key]: smaller })),
    ]);
  }
  return [];
}

/** Sequences that are one step smaller. Equal inputs stay equal. */
export function smallerCalls(calls: readonly PlantedCall[]): readonly (readonly PlantedCall[])[] {
  const shorter = calls.map((_, at) => calls.toSpliced(at, 1)).filter((kept) => kept.length > 0);
  const texts = [...new Set(calls.map(({ input }) => JSON.stringify(input)))];
  const simpler = texts.flatMap((text) =>
    smallerValues(JSON.parse(text))
      .filter((smaller) => typeof smaller === 'object' && smaller !== null && !Array.isArray(smaller))
      .map((smaller) =>
        calls.map((call) =>
          JSON.stringify(call.input) === text ? { ...call, input: smaller as Members } : call,
        ),
      ),
  );
  const all = [...shorter, ...simpler];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
