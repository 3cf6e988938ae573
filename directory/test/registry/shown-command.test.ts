import { describe, expect, it } from 'vitest';
import { packageCommand } from '../../src/registry/shown-command.ts';

const commandOf = (registryType: string, more: object) =>
  packageCommand({ registryType, identifier: 'a-server', version: '1.0.0', ...more } as never)?.join(' ') ??
  null;

describe('the command of a package', () => {
  it.each([
    ['npm', {}, 'npx -y a-server@1.0.0'],
    ['npm', { registryBaseUrl: 'https://registry.npmjs.org/' }, 'npx -y a-server@1.0.0'],
    [
      'npm',
      { registryBaseUrl: 'https://npm.example' },
      'npx -y --registry=https://npm.example a-server@1.0.0',
    ],
    ['pypi', { version: undefined }, 'uvx a-server'],
    [
      'oci',
      {
        identifier: 'docker.io/example/a:1',
        version: undefined,
        runtimeArguments: [{ type: 'named', name: '-e', value: 'TOKEN' }],
      },
      'docker run -i --rm -e TOKEN docker.io/example/a:1',
    ],
    ['nuget', {}, 'dnx --yes a-server@1.0.0'],
    [
      'npm',
      { runtimeHint: 'bunx', runtimeArguments: [{ type: 'positional', value: '-y' }] },
      'bunx -y a-server@1.0.0',
    ],
    [
      'npm',
      {
        packageArguments: [
          { type: 'positional', valueHint: 'folder' },
          { type: 'named', name: '--port', default: '80' },
          { type: 'named', name: '--key', isRequired: true },
          { type: 'named', name: '--quiet' },
        ],
      },
      'npx -y a-server@1.0.0 <folder> --port 80 --key <--key> --quiet',
    ],
  ])('of the kind %s with %j is %s', (kind, more, command) => {
    expect(commandOf(kind, more)).toBe(command);
  });

  it.each(['mcpb', 'constructor', ''])('is not known for the kind "%s"', (kind) => {
    expect(commandOf(kind, {})).toBeNull();
  });
});
