const MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as 30s, 15m, 1h or 1d in milliseconds; null: it is none. Pure. */
export function msIn(text: string): number | null {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * MS[unit as keyof typeof MS];
}

/** As `msIn` reads it. Pure. */
export function durationWords(ms: number): string {
  const units = Object.entries(MS).toReversed();
  const [unit, size] = units.find(([, one]) => ms % one === 0) ?? ['s', MS.s];
  return `${ms / size}${unit}`;
}
