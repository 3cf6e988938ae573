export const PERCENTILES = ['p50', 'p90', 'p95', 'p99', 'p99.9'] as const;
export type Percentile = (typeof PERCENTILES)[number];
