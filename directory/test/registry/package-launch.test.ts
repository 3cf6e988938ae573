import { describe, expect, it } from 'vitest';
import { packageCommands } from '../../src/cli/package-command.ts';
import { launchOf } from '../../src/registry/package-launch.ts';
import type { PackageType } from '../../src/settings/settings.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;

describe('a command for packages', () => {
  it('is split as a shell does it, and is not changed by anything else', () => {
    const line = `npm=run --name 'a b' "c \\"d\\" \\e" f\\ g ''  $HOME; 'x'y"z" {identifier}@{version}`;
    expect(packageCommands(line).npm).toEqual([
      ...['run', '--name', 'a b', 'c "d" \\e', 'f g', '', '$HOME;', 'xyz', '{identifier}@{version}'],
    ]);
  });

  it.each([
    ['npm', 'a type of packages and a command'],
    ['npm=', 'a type of packages and a command'],
    ['gem=run {identifier}', 'The types are npm, pypi'],
    ['npm=run {version}', 'no {identifier}'],
    ['npm={identifier}', 'The program must be yours'],
    ['npm=run {identifier} {other}', '{other} is not a placeholder'],
    ["npm=run '{identifier}", 'a quote that does not end'],
    ['npm=run {identifier} \\', 'a backslash at its end'],
  ])('is refused as %s', (line, reason) => {
    expect(() => packageCommands(line)).toThrow(reason);
  });

  it('can be given for several types, once for each', () => {
    const commands = packageCommands('oci=y {identifier}', packageCommands('npm=x {identifier}'));
    expect(Object.keys(commands)).toEqual(['npm', 'oci']);
    expect(() => packageCommands('npm=z {identifier}', commands)).toThrow('already');
  });
});

describe('the start of a package', () => {
  const launch = (type: PackageType, more: object, command = 'run {identifier} v={version}') =>
    launchOf(
      { packages: [{ registryType: type, transport: { type: 'stdio' }, version: '1.0.0', ...more }] },
      { packageCommands: packageCommands(`${type}=${command}`), publicOnly: true },
    );

  it.each<[PackageType, string, string]>([
    ['npm', 'weather', '1.0.0'],
    ['npm', '@a-b/c.d_e', '1.0.0-beta.1+5'],
    ['pypi', 'Weather_Server.x', '1!2.0rc1'],
    ['oci', 'docker.io/a/b-c:1.2', '1.2'],
    ['oci', `ghcr.io:443/a/b@${DIGEST}`, 'latest_1'],
    ['nuget', 'A.Server', '1.2.3.4'],
    ['mcpb', 'https://git.example/a/releases/download/v1/a.mcpb', '1.0.0'],
  ])('has, of %s, %s and %s in one argument each', (type, identifier, version) => {
    expect(launch(type, { identifier, version })).toMatchObject({
      kind: 'run',
      command: ['run', identifier, `v=${version}`],
    });
  });

  it.each<[PackageType, string]>([
    ...(['npm', 'pypi', 'oci', 'nuget', 'mcpb'] as const).flatMap((type) =>
      ['--eval', '$(x)', 'a b', '../..', 'a\n', 'a;b', '{version}', '', 'a'.repeat(300)].map(
        (identifier): [PackageType, string] => [type, identifier],
      ),
    ),
    ['npm', 'a/b'],
    ['npm', 'file:x'],
    ['npm', 'a@latest'],
    ['npm', '@a/..'],
    ['oci', 'a/../b'],
    ['oci', '/a'],
    ['mcpb', 'http://a.example/x'],
    ['mcpb', 'https://a.example/x/../y'],
    ['mcpb', 'https://u@a.example/x'],
    ['mcpb', 'https://127.0.0.1/x'],
    ['mcpb', 'file:///etc/passwd'],
  ])('is refused of %s as %j', (type, identifier) => {
    expect(launch(type, { identifier })).toMatchObject({ kind: 'undecided' });
  });

  it.each(['--privileged', '1.0.0 --x', '$(x)', '1.0.0\n', '../1', 'https://a.example/x', '^1.0.0', ''])(
    'is refused with the version %j',
    (version) => {
      expect(launch('npm', { identifier: 'a', version })).toMatchObject({
        reason: 'its version is not one of a package of the type npm',
      });
    },
  );

  it('needs a version where the command has one', () => {
    expect(launch('oci', { identifier: 'a/b:1', version: undefined })).toMatchObject({
      reason: 'it names no version',
    });
    expect(launch('oci', { identifier: 'a/b:1', version: undefined }, 'run {identifier}')).toMatchObject({
      command: ['run', 'a/b:1'],
    });
  });

  it('is refused from another registry of packages, where the name may be that of another package', () => {
    expect(launch('npm', { identifier: 'a', registryBaseUrl: 'https://npm.example' })).toMatchObject({
      reason: expect.stringContaining('another registry'),
    });
    expect(launch('npm', { identifier: 'a', registryBaseUrl: 'https://registry.npmjs.org' })).toMatchObject({
      kind: 'run',
    });
  });

  it('uses no argument and no variable of the document', () => {
    const hostile = [{ type: 'named', name: '--privileged', value: 'x' }];
    expect(launch('npm', { identifier: 'a', runtimeArguments: hostile, runtimeHint: 'sh' })).toMatchObject({
      command: ['run', 'a', 'v=1.0.0'],
    });
    for (const more of [
      { packageArguments: hostile },
      { runtimeArguments: [{ type: 'named', name: '-e', isRequired: true }] },
      { environmentVariables: [{ name: 'NODE_OPTIONS', value: '--eval=1' }] },
    ])
      expect(launch('npm', { identifier: 'a', ...more })).toMatchObject({ kind: 'undecided' });
    // One that callers may leave out.
    expect(launch('npm', { identifier: 'a', environmentVariables: [{ name: 'A' }] }).kind).toBe('run');
  });

  it('is none without a command for its type, or over another transport', () => {
    expect(
      launchOf({ packages: [{ registryType: 'npm' }] }, { packageCommands: {}, publicOnly: true }),
    ).toEqual({
      kind: 'none',
    });
    expect(launch('npm', { identifier: 'a', transport: { type: 'sse', url: 'https://a.example' } })).toEqual({
      kind: 'none',
    });
    expect(launchOf({}, { packageCommands: {}, publicOnly: true })).toEqual({ kind: 'none' });
  });
});
