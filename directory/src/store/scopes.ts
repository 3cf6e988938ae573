/** The operations that a key can allow. */
export const SCOPES = ['read', 'test', 'execute'] as const;
export type Scope = (typeof SCOPES)[number];
