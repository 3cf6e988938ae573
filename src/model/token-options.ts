import { line } from './option.ts';

/** A part of the options of a check: the environment variables of further tokens, which their rows need. */
export const TOKEN_OPTIONS = {
  expiredBearerEnv: line({
    flag: '--expired-bearer-env <name>',
    key: 'expiredBearerEnv',
    group: 'Access',
    stored: true,
    doc: 'environment variable with a bearer token that has expired, which an MCP server must refuse',
  }),
  otherAudienceBearerEnv: line({
    flag: '--other-audience-bearer-env <name>',
    key: 'otherAudienceBearerEnv',
    group: 'Access',
    stored: true,
    doc: 'environment variable with a bearer token for another server, which an MCP server must refuse',
  }),
  otherBearerEnv: line({
    flag: '--other-bearer-env <name>',
    key: 'otherBearerEnv',
    group: 'Access',
    stored: true,
    doc: 'environment variable with the bearer token of another user, who must not reach what the first one creates',
  }),
};
