export const DEFAULT_CONFIG = 'probity.config.yaml';
