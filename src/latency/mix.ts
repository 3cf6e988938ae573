/** Which request of a mix comes next, by weight and by chance: an order of its own could fall in step with the target's. */
export function createMix(weights: readonly number[], random: () => number): () => number {
  if (weights.length < 2) return () => 0;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let left = random() * total;
    const index = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return index === -1 ? weights.length - 1 : index;
  };
}
