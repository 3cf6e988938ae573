import type { LearnedTarget } from '../../../check/learn/learn-target.ts';
import type { YamlSection } from '../../../suite/yaml/write-yaml.ts';
import { isLoopback } from '../../../text/loopback.ts';

/**
 * A listing to complete. Unknown values are comments, so that nothing generated is submitted. `mcp` is the command or
 * the address of a server of the Model Context Protocol. Pure.
 */
export function listingSections(target: LearnedTarget | null, mcp: string | null): readonly YamlSection[] {
  const endpoint = mcp === null ? target?.targetUrl : /^https?:/i.test(mcp) ? mcp : undefined;
  const known = (comment: string, key: string, value: string | null | undefined): YamlSection =>
    value === null || value === undefined
      ? { comment: [comment, `${key}: TODO`] }
      : { comment: [comment], key, value };
  return [
    {
      comment: [
        'The listing of this server for a directory of MCP servers; written by `probity init`, to complete by hand.',
        'Every line with TODO is a comment: set the value and remove the #.',
      ],
    },
    {
      comment: ['Version of this language; `probity lint` reports what is still wrong with the file.'],
      key: 'listing',
      value: 'v1',
    },
    {
      comment: [
        'The id of the server in the paths of the directory: short, unique, never changed.',
        'id: TODO',
      ],
    },
    known('The name for people.', 'name', target?.name),
    known('What the server does, in a sentence or two.', 'description', target?.description),
    ...(mcp === null
      ? []
      : [{ comment: ['Its endpoint speaks the Model Context Protocol.'], key: 'protocol', value: 'mcp' }]),
    known(
      mcp === null
        ? 'Its public base address, without /health.'
        : 'The public address of its endpoint, such as https://example.com/mcp.',
      'endpoint',
      endpoint === undefined || isLoopback(new URL(endpoint).hostname) ? null : endpoint,
    ),
    { comment: ['One label, and tags that help to find the server.', 'category: TODO', 'tags: [TODO]'] },
    { comment: ['Its transports: http, websocket.'], key: 'transport', value: ['http'] },
    known('Version of the server.', 'version', target?.version),
    known('MCP version of the server; must be 1.0 or later.', 'mcpVersion', target?.mcpVersion),
    { comment: ['The author or operator.', 'author: { name: TODO, contact: TODO }'] },
    {
      comment: [
        'One of these is required: a public repository with its licence, verifiable build artifacts, or a reproducible',
        'deployment.',
        'openSource: TODO (true or false)',
        'repository: TODO (https address)',
        'licence: TODO (SPDX expression, such as MIT)',
        'build: { artifact: TODO (https address), digest: TODO (sha256:…), attestation: TODO (https address) }',
        'deployment: { instructions: TODO (https address), digest: TODO (sha256:…) }',
      ],
    },
    {
      comment: [
        'A security audit is preferred, not required.',
        'audited: TODO (true or false)',
        'auditReport: { url: TODO (https address), date: TODO (such as 2026-03-31), auditor: TODO }',
      ],
    },
    {
      comment: [
        'Documentation is required: a description, an example, and the types of inputs and results of every function.',
        '`probity check --listing FILE` decides this from /capabilities and, for form A, which has no types, from:',
        'documentation: TODO (https address)',
      ],
    },
    {
      comment: [
        'Environment variable with the token, if the server requires one: PROBITY_TARGET_ and the id.',
        'bearerEnv: PROBITY_TARGET_TODO',
      ],
    },
    { comment: ['Leave these out: uptime, responseTime and lastUpdated are measured by the directory.'] },
  ];
}
