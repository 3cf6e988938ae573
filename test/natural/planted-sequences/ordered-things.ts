import { randomUUID } from 'node:crypto';
import { NO_ANSWER } from '../planted-inputs/unhandled.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** Things have places: in a list, on a board, in a hall. */
export const orderedThings: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'the current track is null after it was removed',
    service: 'Playlists.',
    smallest: [
      call('createPlaylist'),
      call('addTrack', { playlistId: '$1/playlistId', title: '' }),
      call('play', { playlistId: '$1/playlistId' }),
      call('removeTrack', { playlistId: '$1/playlistId', position: 1 }),
      call('currentTrack', { playlistId: '$1/playlistId' }),
    ],
    open: () => {
      const next = counter();
      const playlists = new Map<string, { readonly tracks: string[]; playing?: number }>();
      const playlistId = text('Identifier of the playlist', { pattern: '^pl-[0-9]+$' });
      return [
        {
          name: 'createPlaylist',
          description: 'Creates an empty playlist.',
          parameters: object({}),
          returns: object({ playlistId }),
          run: () => {
            const id = `pl-${next()}`;
            playlists.set(id, { tracks: [] });
            return { playlistId: id };
          },
        },
        {
          name: 'addTrack',
          description: 'Adds a track at the end.',
          parameters: object({ playlistId, title: text('Title of the track', { maxLength: 80 }) }),
          returns: object({ tracks: integer('How many.', { minimum: 1 }) }),
          run: (input: { playlistId: string; title: string }) => ({
            tracks: found(playlists, input.playlistId, 'playlist').tracks.push(input.title),
          }),
        },
        {
          name: 'removeTrack',
          description: 'Removes the track at a position.',
          parameters: object({ playlistId, position: integer('Starts at 1', { minimum: 1, maximum: 500 }) }),
          returns: object({ tracks: integer('How many are left.', { minimum: 0 }) }),
          run: (input: { playlistId: string; position: number }) => {
            const { tracks } = found(playlists, input.playlistId, 'playlist');
            if (input.position > tracks.length) throw conflict('There is no track at that position');
            tracks.splice(input.position - 1, 1);
            return { tracks: tracks.length };
          },
        },
        {
          name: 'play',
          description: 'Plays a playlist from its first track.',
          parameters: object({ playlistId }),
          returns: object({ playing: flag('Always true.') }),
          run: (input: { playlistId: string }) => {
            const playlist = found(playlists, input.playlistId, 'playlist');
            if (playlist.tracks.length === 0) throw conflict('The playlist is empty');
            playlist.playing = 0;
            return { playing: true };
          },
        },
        {
          name: 'currentTrack',
          description: 'The track that is playing.',
          parameters: object({ playlistId }),
          returns: object({ title: text('Title of the track.') }),
          run: (input: { playlistId: string }) => {
            const { tracks, playing } = found(playlists, input.playlistId, 'playlist');
            if (playing === undefined) throw conflict('Nothing is playing');
            return { title: tracks[playing] ?? null };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a card in a deleted column has no column',
    service: 'Boards with columns of cards.',
    smallest: [
      call('createBoard', { name: '' }),
      call('addColumn', { board_id: '$1/board_id', name: '' }),
      call('addCard', { column_id: '$2/column_id', title: '' }),
      call('deleteColumn', { column_id: '$2/column_id' }),
      call('listCards', { board_id: '$1/board_id' }),
    ],
    open: () => {
      const boards = new Map<string, { readonly cards: { title: string; column: string }[] }>();
      const columns = new Map<string, { readonly board: string; readonly name: string }>();
      const board_id = text('Identifier of the board', { format: 'uuid' });
      const column_id = text('Identifier of the column', { format: 'uuid' });
      const name = text('Name', { maxLength: 40 });
      return [
        {
          name: 'createBoard',
          description: 'Creates a board.',
          parameters: object({ name }),
          returns: object({ board_id }),
          examples: [{ name: 'Release 4' }],
          run: () => {
            const id = randomUUID();
            boards.set(id, { cards: [] });
            return { board_id: id };
          },
        },
        {
          name: 'addColumn',
          description: 'Adds a column to a board.',
          parameters: object({ board_id, name }),
          returns: object({ column_id }),
          run: (input: { board_id: string; name: string }) => {
            found(boards, input.board_id, 'board');
            const id = randomUUID();
            columns.set(id, { board: input.board_id, name: input.name });
            return { column_id: id };
          },
        },
        {
          name: 'addCard',
          description: 'Adds a card to a column.',
          parameters: object({ column_id, title: name }),
          returns: object({ cards: integer('Cards of the board.', { minimum: 1 }) }),
          run: ({ column_id: column, title }: { column_id: string; title: string }) => {
            const { board } = found(columns, column, 'column');
            return { cards: found(boards, board, 'board').cards.push({ title, column }) };
          },
        },
        {
          name: 'deleteColumn',
          description: 'Deletes a column of a board.',
          parameters: object({ column_id }),
          returns: object({ deleted: flag('Always true.') }),
          run: (input: { column_id: string }) => {
            found(columns, input.column_id, 'column');
            return { deleted: columns.delete(input.column_id) };
          },
        },
        {
          name: 'listCards',
          description: 'All cards of a board with the names of their columns.',
          parameters: object({ board_id }),
          returns: object({
            cards: list(object({ title: text('Title.'), column: text('Name of the column.') }), 'All cards.'),
          }),
          run: (input: { board_id: string }) => ({
            cards: found(boards, input.board_id, 'board').cards.map(({ title, column }) => ({
              title,
              column: columns.get(column)?.name,
            })),
          }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'the number of a removed seat is given out twice',
    service: 'Seats of a hall.',
    craft: NO_ANSWER,
    smallest: [
      call('addSeat', { row: 'A' }),
      call('addSeat', { row: 'A' }),
      call('removeSeat', { seat: '$1/seat' }),
      call('addSeat', { row: 'A' }),
    ],
    open: () => {
      const seats = new Map<number, string>();
      const seat = integer('Number of the seat', { minimum: 1 });
      const row = text('Letter of the row', { enum: ['A', 'B', 'C'] });
      return [
        {
          name: 'addSeat',
          description: 'Adds a seat to a row. Seats are numbered across all rows.',
          parameters: object({ row }),
          returns: object({ seat }),
          examples: [{ row: 'B' }],
          run: (input: { row: string }) => {
            const number = seats.size + 1;
            if (seats.has(number))
              throw new Error('duplicate key value violates unique constraint "seats_pkey"');
            seats.set(number, input.row);
            return { seat: number };
          },
        },
        {
          name: 'removeSeat',
          description: 'Removes a seat.',
          parameters: object({ seat }),
          returns: object({ row }),
          run: (input: { seat: number }) => {
            const from = found(seats, input.seat, 'seat');
            seats.delete(input.seat);
            return { row: from };
          },
        },
        {
          name: 'seatsInRow',
          description: 'Numbers of the seats in a row.',
          parameters: object({ row }),
          returns: object({ seats: list(seat, 'In the order they were added.') }),
          examples: [{ row: 'A' }],
          run: (input: { row: string }) => ({
            seats: [...seats].flatMap(([number, letter]) => (letter === input.row ? number : [])),
          }),
        },
      ];
    },
  }),
];
