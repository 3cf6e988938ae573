/** What a key may allow. */
export const SCOPES = ['read', 'test', 'execute'] as const;
export type Scope = (typeof SCOPES)[number];
