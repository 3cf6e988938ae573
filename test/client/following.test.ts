import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, type FakeDirectory, failureOf, json, record, startFake } from './fake-directory.ts';

let fake: FakeDirectory;
afterEach(() => fake.close());

const RECORD = record('one');
const LINE = `${JSON.stringify(RECORD)}\n`;

function lastLine(parts: object = {}): string {
  const digest = `sha256:${createHash('sha256').update(LINE).digest('hex')}`;
  return `${JSON.stringify({ dump: { count: 1, digest, cursor: 'next', ...parts } })}\n`;
}

async function startDump(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
  fake = await startFake((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const piece of pieces) response.write(piece);
    response.end();
  });
}

describe('a dump', () => {
  it('is read in pieces that split lines and letters', async () => {
    const polish = { ...RECORD, description: 'Łódź 京都' };
    const bytes = Buffer.from(`${JSON.stringify(polish)}\n`);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const last = Buffer.from(lastLine({ digest }));
    await startDump(...[...Buffer.concat([bytes, last])].map((byte) => Uint8Array.of(byte)));
    const descriptions: string[] = [];
    const end = await clientOf(fake).dump(({ description }) => void descriptions.push(description));
    expect([end, descriptions]).toEqual([{ count: 1, cursor: 'next' }, ['Łódź 京都']]);
  });

  it.each([
    ['without its last line', [LINE], '/line 1'],
    ['of no bytes', [], '/line 0'],
    ['whose last line is cut', [LINE, lastLine().slice(0, -1)], '/line 1'],
    ['with another number', [LINE, lastLine({ count: 2 })], '/line 2'],
    ['with another digest', [LINE, lastLine({ digest: 'sha256:0' })], '/line 2'],
    ['with a line that is not JSON', [LINE, '{\n', lastLine()], '/line 2'],
    [
      'with a record that breaks the contract',
      [LINE.replace('"id":"', '"id":1,"x":"'), lastLine()],
      '/line 1/id',
    ],
    ['with bytes that are not UTF-8', [Uint8Array.of(0xff, 0x0a)], '/line 0'],
    ['with lines after the last one', [LINE, lastLine(), LINE], '/line 3'],
  ])('%s is an error', async (_, pieces, place) => {
    await startDump(...pieces);
    const failure = await failureOf(clientOf(fake).dump(() => undefined));
    expect(failure).toMatchObject({ code: 'bad-answer' });
    expect(failure.message).toContain(place);
  });

  it('ends with the error of the function that takes the records', async () => {
    await startDump(LINE, lastLine());
    const error = new Error('the disk is full');
    const dumped = clientOf(fake).dump(async () => {
      throw error;
    });
    await expect(dumped).rejects.toBe(error);
  });

  it('is sent once, because its records would come twice', async () => {
    fake = await startFake((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(LINE, () => response.destroy());
    });
    expect(await failureOf(clientOf(fake).dump(() => undefined))).toMatchObject({ code: 'unreachable' });
    expect(fake.seen).toHaveLength(1);
  });
});

it('refuses changes that lack what their kind needs', async () => {
  fake = await startFake((_request, response) =>
    json(response, {
      changes: [{ kind: 'changed', server: RECORD }, { kind: 'removed' }],
      cursor: 'c',
      hasMore: false,
    }),
  );
  const failure = await failureOf(clientOf(fake).changes());
  expect(failure).toMatchObject({ code: 'bad-answer' });
  expect(failure.message).toContain('/changes/1/id');
});
