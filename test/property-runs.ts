/** This many generated cases of a property, or fewer if the tests run for each of many mutants. */
export function runs(count: number): number {
  return Math.min(count, Number(process.env.PROBITY_PROPERTY_RUNS ?? count));
}
