import type { LearnedTarget } from '../../app/learn-target.ts';
import { isLoopback } from '../../checks/security/https-endpoint.ts';
import type { YamlSection } from '../../suite/write-yaml.ts';

/**
 * What a directory wants to know of a server, to be filled in. What nobody knows yet is a comment, so that nothing made
 * up is handed in. Pure.
 */
export function listingSections(target: LearnedTarget | null): readonly YamlSection[] {
  const known = (comment: string, key: string, value: string | null | undefined): YamlSection =>
    value === null || value === undefined
      ? { comment: [comment, `${key}: TODO`] }
      : { comment: [comment], key, value };
  return [
    {
      comment: [
        'What a directory of MCP servers asks of this server; made by `probity init`, to be completed by hand.',
        'Every line with TODO is a comment until its value is known: fill it in and take the # away.',
      ],
    },
    {
      comment: ['Version of this language; `probity lint` says what is still wrong with the file.'],
      key: 'listing',
      value: 'v1',
    },
    {
      comment: ['How the directory calls the server in its paths: short, unique, never changed.', 'id: TODO'],
    },
    known('The name that people see.', 'name', target?.name),
    known('What the server does, in a sentence or two.', 'description', target?.description),
    known(
      'Its base address, without /health and the like, as everybody can reach it.',
      'endpoint',
      target === null || isLoopback(new URL(target.targetUrl).hostname) ? null : target.targetUrl,
    ),
    { comment: ['One label, and as many tags as help to find it.', 'category: TODO', 'tags: [TODO]'] },
    { comment: ['What it speaks: http, websocket.'], key: 'transport', value: ['http'] },
    known('Version of the server.', 'version', target?.version),
    known('Version of MCP that it implements: 1.0 or later is required.', 'mcpVersion', target?.mcpVersion),
    { comment: ['Who answers for it.', 'author: { name: TODO, contact: TODO }'] },
    {
      comment: [
        'Openness is required, in one of these ways: a public repository with its licence, build artifacts that can be',
        'verified, or deployments that can be reproduced.',
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
        'Documentation is required: every function with a description, an example, and types of what it takes and returns.',
        '`probity check --listing FILE` decides that from /capabilities, and for form A, which has no place for types, from:',
        'documentation: TODO (https address)',
      ],
    },
    {
      comment: [
        'Variable of whoever checks that holds a token for the server, if it wants one: PROBITY_TARGET_ and the id.',
        'bearerEnv: PROBITY_TARGET_TODO',
      ],
    },
    { comment: ['Not to be filled in: uptime, responseTime and lastUpdated are measured by the directory.'] },
  ];
}
