// The output of all sections, and whether any figure was over its limit.

let over = 0;

/** Prints a judged figure. `bound` is a text. */
export function judged(name, figures, holds, bound) {
  if (!holds) over += 1;
  note(name, `${figures}  ${holds ? 'within' : 'OVER'} ${bound}`);
}

/** Prints a figure without a limit. */
export function note(name, figures) {
  console.log(`  ${name.padEnd(34)} ${figures}`);
}

export function overCount() {
  return over;
}

export function median(values) {
  return percentile(values, 50);
}

/** By nearest rank, as the engine counts. */
export function percentile(values, percent) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** The median and the range of the rounds: a figure with a wide range says little. */
export function spread(values) {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ms(value) {
  return `${value.toFixed(3)} ms`;
}
