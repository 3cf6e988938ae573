export const PREFIX = 'io.modelcontextprotocol/';
export const STATELESS = '2026-07-28';
export const SESSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const ERAS = [...SESSIONS, STATELESS] as const;

export const META = {
  [`${PREFIX}protocolVersion`]: STATELESS,
  [`${PREFIX}clientCapabilities`]: {},
  [`${PREFIX}clientInfo`]: { name: 'test', version: '1' },
};

export interface Reply {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Sent {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export const request = (id: number, method: string, params: object = {}): Sent => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params },
});

export const stateless = (id: number, method: string, params: object = {}): Sent =>
  request(id, method, { _meta: META, ...params });

/** A request of this revision. */
export const requestOf = (revision: string): typeof request => (revision === STATELESS ? stateless : request);

export const initialize = (protocolVersion: unknown): Sent =>
  request(0, 'initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });

/** What a client sends before its requests of this revision. */
export const opening = (revision: string): readonly object[] =>
  revision === STATELESS
    ? []
    : [initialize(revision), { jsonrpc: '2.0', method: 'notifications/initialized' }];
