// What every section prints, and whether any of it was over its bound.

let over = 0;

/** Prints a figure that is judged. `bound` is said in words. */
export function judged(name, figures, holds, bound) {
  if (!holds) over += 1;
  note(name, `${figures}  ${holds ? 'within' : 'OVER'} ${bound}`);
}

/** Prints a figure that nothing is demanded of. */
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

/** The median, and how far the rounds lie apart: a figure that differs from round to round says little. */
export function spread(values) {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function ms(value) {
  return `${value.toFixed(3)} ms`;
}
