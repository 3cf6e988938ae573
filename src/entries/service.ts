export { plainRead } from '../app/plain-read.ts';
export { reportUnreachable } from '../app/report-unreachable.ts';
export { givenHeaders } from '../app/run-settings.ts';
export { refuseUrl } from '../probe/address-guard.ts';
export { type ConnectionPool, createConnectionPool } from '../probe/connection-pool.ts';
export { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
export { systemClock } from '../probe/system-clock.ts';
export { loadRegistry } from '../suite/load-suites.ts';
export { harnessVersion } from '../suite/product-files.ts';
