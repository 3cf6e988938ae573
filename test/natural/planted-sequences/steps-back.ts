import { Refused } from '../natural-server.ts';
import { EMPTY_BODY, EXPRESS_PAGE } from '../planted-inputs/unhandled.ts';
import { flag, integer, number, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** A step is taken back that was not taken. */
export const stepsBack: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'a lap after the stop is null',
    service: 'One stopwatch.',
    smallest: [call('start'), call('stop'), call('lap')],
    open: () => {
      let isUsed = false;
      let startedMs: number | undefined;
      const elapsedMs = number('Milliseconds since the start.', { minimum: 0 });
      return [
        {
          name: 'start',
          description: 'Starts the stopwatch from zero.',
          parameters: object({}),
          returns: object({ isRunning: flag('Always true.') }),
          run: () => {
            isUsed = true;
            startedMs = performance.now();
            return { isRunning: true };
          },
        },
        {
          name: 'lap',
          description: 'Reads the stopwatch while it is running.',
          parameters: object({}),
          returns: object({ elapsedMs }),
          run: () => {
            if (!isUsed) throw new Refused('NOT_RUNNING', 'The stopwatch was not started', 409);
            return { elapsedMs: performance.now() - (startedMs as number) };
          },
        },
        {
          name: 'stop',
          description: 'Stops the stopwatch.',
          parameters: object({}),
          returns: object({ elapsedMs }),
          run: () => {
            if (startedMs === undefined)
              throw new Refused('NOT_RUNNING', 'The stopwatch is not running', 409);
            const stopped = { elapsedMs: performance.now() - startedMs };
            startedMs = undefined;
            return stopped;
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'undo after everything was undone crashes',
    service: 'One shared text.',
    craft: EXPRESS_PAGE,
    smallest: [call('writeText', { text: '' }), call('undo'), call('undo')],
    open: () => {
      const versions = [''];
      let current = 0;
      return [
        {
          name: 'writeText',
          description: 'Replaces the text.',
          parameters: object({ text: text('New text', { maxLength: 2000 }) }),
          returns: object({ characters: integer('Length of the text.', { minimum: 0 }) }),
          examples: [{ text: 'First draft' }],
          run: (input: { text: string }) => {
            versions.splice(current + 1, versions.length, input.text);
            current += 1;
            return { characters: input.text.length };
          },
        },
        {
          name: 'undo',
          description: 'Takes back the last change and returns the text before it.',
          parameters: object({}),
          returns: object({ text: text('The text.') }),
          run: () => {
            if (versions.length === 1) throw conflict('There is nothing to undo');
            const earlier = (versions[current - 1] as string).slice();
            current -= 1;
            return { text: earlier };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'restoring a photo that is not in the bin crashes',
    service: 'Photos with a bin.',
    craft: EMPTY_BODY,
    smallest: [call('addPhoto', { caption: '' }), call('restorePhoto', { photoId: '$1/photoId' })],
    open: () => {
      const next = counter();
      const photos = new Map<number, string>();
      const bin = new Map<number, { caption: string }>();
      const photoId = integer('Number of the photo', { minimum: 1 });
      return [
        {
          name: 'addPhoto',
          description: 'Adds a photo.',
          parameters: object({ caption: text('Caption', { maxLength: 200 }) }),
          returns: object({ photoId }),
          examples: [{ caption: 'At the lake' }],
          run: ({ caption }: { caption: string }) => {
            const id = next();
            photos.set(id, caption);
            return { photoId: id };
          },
        },
        {
          name: 'binPhoto',
          description: 'Moves a photo into the bin.',
          parameters: object({ photoId }),
          returns: object({ inBin: integer('Photos in the bin.', { minimum: 1 }) }),
          run: (input: { photoId: number }) => {
            const caption = found(photos, input.photoId, 'photo');
            if (bin.has(input.photoId)) throw conflict('The photo is in the bin');
            return { inBin: bin.set(input.photoId, { caption }).size };
          },
        },
        {
          name: 'restorePhoto',
          description: 'Takes a photo out of the bin.',
          parameters: object({ photoId }),
          returns: object({ caption: text('Its caption.') }),
          run: (input: { photoId: number }) => {
            found(photos, input.photoId, 'photo');
            const { caption } = bin.get(input.photoId) as { caption: string };
            bin.delete(input.photoId);
            return { caption };
          },
        },
      ];
    },
  }),
];
