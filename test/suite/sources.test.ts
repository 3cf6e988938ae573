import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSource } from '../../src/suite/read-source.ts';
import { MAX_FILE_BYTES } from '../../src/suite/yaml/tree.ts';
import { suiteErrorOf } from './loading.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'suite-sources-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string | Uint8Array): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};

const refusal = (file: string, shown?: string) => suiteErrorOf(() => readSource(file, shown)).diagnostics;

test('a file is read as UTF-8, without its byte order mark, with the digest of its bytes', () => {
  const file = write('good.yaml', '\uFEFFsuite: é\n');
  expect(readSource(file, 'shown.yaml')).toEqual({
    file: 'shown.yaml',
    text: 'suite: é\n',
    digest: 'sha256:d1641ea9ca6a618e86c6621388bb25ee6c52f7935ab4559c60fa73e37c46e3d0',
  });
});

test('a missing file', () => {
  const file = path.join(folder, 'missing.yaml');
  expect(refusal(file)).toEqual([
    {
      code: 'unreadable-file',
      file,
      place: { line: 1, column: 1, length: 1 },
      message: 'cannot read the file: the file does not exist',
      suggestion: 'Check the path.',
    },
  ]);
});

test('a folder', () => {
  expect(refusal(folder)).toMatchObject([
    {
      code: 'unreadable-file',
      message: 'cannot read the file: it is a folder',
      suggestion: 'Check the path.',
    },
  ]);
});

test('a file below a file', () => {
  const file = path.join(write('plain.yaml', 'a: 1'), 'below.yaml');
  expect(refusal(file)).toMatchObject([
    { code: 'unreadable-file', file, message: 'cannot read the file: ENOTDIR' },
  ]);
});

test('bytes that are not UTF-8', () => {
  const file = write('latin1.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a));
  expect(refusal(file, 'latin1.yaml')).toEqual([
    {
      code: 'not-utf8',
      file: 'latin1.yaml',
      place: { line: 1, column: 1, length: 1 },
      message: 'the file is not valid UTF-8',
      suggestion: 'Save it as UTF-8.',
    },
  ]);
});

test('a file of the maximum size, and one byte larger', () => {
  const largest = write('largest.yaml', Buffer.alloc(MAX_FILE_BYTES, '#'));
  expect(readSource(largest).text).toHaveLength(MAX_FILE_BYTES);
  const tooLarge = write('too-large.yaml', Buffer.alloc(MAX_FILE_BYTES + 1, '#'));
  expect(refusal(tooLarge)).toMatchObject([
    {
      code: 'file-too-large',
      message: `the file has ${MAX_FILE_BYTES + 1} bytes, more than ${MAX_FILE_BYTES}`,
      suggestion: 'Split it into several files.',
    },
  ]);
});

test('the message contains no source line', () => {
  const file = path.join(folder, 'missing.yaml');
  expect(suiteErrorOf(() => readSource(file, 'mine.yaml')).message).toBe(
    'mine.yaml:1:1: cannot read the file: the file does not exist [unreadable-file]\n  Check the path.',
  );
});
