import { describe, expect, it } from 'vitest';
import { endpointFor } from '../../../src/cli/options/listed-target.ts';

describe('an address from a directory', () => {
  const inner = [
    'http://127.0.0.1:3000',
    'http://10.0.0.5',
    'http://[::1]:8080',
    'http://db.internal',
    'http://169.254.169.254',
  ];

  it('must not be private if the directory is public', () => {
    for (const directory of [
      'https://directory.example/v1',
      'https://directory.example:5432/v1',
      'https://9.9.9.9/v1',
    ])
      for (const endpoint of inner)
        expect(() => endpointFor({ id: 'x', endpoint }, directory, false)).toThrow(
          /not checked: .*public internet.*instead of --server/,
        );
  });

  it('may be any address if the directory is private', () => {
    for (const directory of ['http://127.0.0.1:8080/v1', 'https://directory.corp/v1', 'http://localhost/v1'])
      for (const endpoint of [...inner, 'https://server.example'])
        expect(endpointFor({ id: 'x', endpoint }, directory, false)).toMatchObject({
          url: endpoint,
          publicOnly: false,
        });
  });

  it('may be the endpoint of a server of the Model Context Protocol', () => {
    const entry = { id: 'x', protocol: 'mcp' } as const;
    const endpoint = 'https://server.example/mcp?region=eu';
    expect(endpointFor({ ...entry, endpoint }, 'https://directory.example/v1', false)).toEqual({
      url: endpoint,
      publicOnly: true,
    });
    for (const other of [...inner, 'npx -y example-server', 'ws://server.example/mcp'])
      expect(() => endpointFor({ ...entry, endpoint: other }, 'https://directory.example/v1', false)).toThrow(
        /not checked: .*with --mcp instead of --server/,
      );
  });

  it('must be public with --public-only', () => {
    expect(() => endpointFor({ id: 'x', endpoint: 'http://10.0.0.5' }, 'http://127.0.0.1/v1', true)).toThrow(
      /10\.0\.0\.5/,
    );
    expect(
      endpointFor({ id: 'x', endpoint: 'https://server.example/' }, 'https://directory.example/v1', false),
    ).toEqual({
      url: 'https://server.example',
      publicOnly: true,
    });
  });
});
