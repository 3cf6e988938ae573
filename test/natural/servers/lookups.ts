import { setTimeout as delay } from 'node:timers/promises';
import { type Members, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';

export const weather = natural({
  name: 'weather',
  description: 'Weather of a few cities, cached for a minute.',
  open: () => {
    const celsius: Record<string, number> = { Paris: 18, Oslo: 7, Nairobi: 24 };
    const cache = new Map<string, { at: number; answer: Members }>();
    const city = text('Name of the city', { examples: Object.keys(celsius) });
    return [
      {
        name: 'currentWeather',
        description: 'Temperature now, at most a minute old.',
        parameters: object({ city, unit: text('C or F', { enum: ['C', 'F'], default: 'C' }) }, ['unit']),
        returns: object({
          temperature: number('In the chosen unit.'),
          unit: text('C or F.'),
          cached: flag('From the cache.'),
        }),
        examples: [{ city: 'Oslo' }],
        run: async ({ city: name, unit = 'C' }: { city: string; unit?: string }) => {
          const key = `${name}|${unit}`;
          const kept = cache.get(key);
          if (kept !== undefined && Date.now() - kept.at < 60_000) return { ...kept.answer, cached: true };
          await delay(15);
          const value = Object.hasOwn(celsius, name) ? celsius[name] : undefined;
          if (value === undefined) throw new Refused('UNKNOWN_CITY', `No station in ${name}`, 404);
          const answer = { temperature: unit === 'F' ? value * 1.8 + 32 : value, unit };
          cache.set(key, { at: Date.now(), answer });
          return { ...answer, cached: false };
        },
      },
      {
        name: 'forecast',
        description: 'Highs of the next days.',
        parameters: object({ city, days: integer('How many days', { minimum: 1, maximum: 7 }) }),
        returns: object({ highs: list({ type: 'number' }, 'One for each day.') }),
        examples: [{ city: 'Paris', days: 3 }],
        run: ({ city: name, days }: { city: string; days: number }) => {
          const value = Object.hasOwn(celsius, name) ? celsius[name] : undefined;
          if (value === undefined) throw new Refused('UNKNOWN_CITY', `No station in ${name}`, 404);
          return { highs: Array.from({ length: days }, (_, day) => value + (day % 3)) };
        },
      },
    ];
  },
});

export const geocoder = natural({
  name: 'geocoder',
  description: 'Places and coordinates.',
  undecidedInA: ['reverseGeocode'],
  open: () => {
    const places = [
      { name: 'Eiffel Tower', lat: 48.8584, lon: 2.2945 },
      { name: 'Brandenburg Gate', lat: 52.5163, lon: 13.3777 },
    ];
    return [
      {
        name: 'geocode',
        description: 'Coordinates of a place. Without a hit, the list is empty.',
        parameters: object({ query: text('Name or a part of it', { minLength: 2 }) }),
        returns: object({
          hits: list(
            object({ name: text('Name.'), lat: number('Latitude.'), lon: number('Longitude.') }),
            'Best first.',
          ),
        }),
        run: ({ query }: { query: string }) => ({
          hits: places.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())),
        }),
      },
      {
        name: 'reverseGeocode',
        description: 'The nearest known place.',
        parameters: object({
          lat: number('Latitude', { minimum: -90, maximum: 90 }),
          lon: number('Longitude', { minimum: -180, maximum: 180 }),
        }),
        returns: object({ name: text('Name of the place.'), km: number('Distance.') }),
        run: ({ lat, lon }: { lat: number; lon: number }) => {
          const [nearest] = places
            .map((place) => ({ name: place.name, km: Math.hypot(place.lat - lat, place.lon - lon) * 111 }))
            .sort((a, b) => a.km - b.km);
          return { name: nearest?.name ?? '', km: Math.round(nearest?.km ?? 0) };
        },
      },
    ];
  },
});

export const units = natural({
  name: 'units',
  description: 'Converts units.',
  undecidedInA: ['convertLength'],
  open: () => {
    const metres: Record<string, number> = { m: 1, km: 1000, mi: 1609.344, ft: 0.3048 };
    const unit = (what: string): Members => text(what, { enum: Object.keys(metres) });
    return [
      {
        name: 'convertLength',
        description: 'Converts a length.',
        parameters: object({
          value: number('The length'),
          from: unit('Its unit'),
          to: unit('The unit you want'),
        }),
        returns: object({ value: number('The length in the other unit.') }),
        run: ({ value, from, to }: { value: number; from: string; to: string }) => ({
          value: (value * (metres[from] ?? 1)) / (metres[to] ?? 1),
        }),
      },
      {
        name: 'toFahrenheit',
        description: 'Degrees Celsius in Fahrenheit.',
        parameters: object({ celsius: number('Degrees', { minimum: -273.15 }) }),
        returns: object({ fahrenheit: number('Degrees.') }),
        examples: [{ celsius: 20 }],
        run: ({ celsius }: { celsius: number }) => ({ fahrenheit: celsius * 1.8 + 32 }),
      },
    ];
  },
});

export const imageMetadata = natural({
  name: 'image-info',
  description: 'Reads the header of an image given as base64.',
  undecided: ['imageSize'],
  open: () => [
    {
      name: 'imageSize',
      description: 'Type and size of a PNG or GIF.',
      parameters: object({ data: text('The file', { contentEncoding: 'base64', minLength: 16 }) }),
      returns: object({ type: text('png or gif.'), width: integer('Pixels.'), height: integer('Pixels.') }),
      run: ({ data }: { data: string }) => {
        const bytes = Buffer.from(data, 'base64');
        if (bytes.subarray(1, 4).toString() === 'PNG' && bytes.length >= 24)
          return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
        if (bytes.subarray(0, 3).toString() === 'GIF' && bytes.length >= 10)
          return { type: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
        throw new Error('unknown image type');
      },
    },
  ],
});

export const bookCatalogue = natural({
  name: 'catalogue',
  description: 'Looks books up. What is not known is null or left out.',
  undecidedInA: ['bookByIsbn'],
  open: () => {
    const books: Record<string, { title: string; subtitle?: string; pages: number | null }> = {
      '9780131103627': { title: 'The C Programming Language', pages: 272 },
      '9781492056355': {
        title: 'Fluent Python',
        subtitle: 'Clear, Concise, and Effective Programming',
        pages: null,
      },
    };
    const isbn = text('ISBN without hyphens', { pattern: '^97[89]\\d{10}$' });
    return [
      {
        name: 'bookByIsbn',
        description: 'The book with an ISBN, or null.',
        parameters: object({ isbn }),
        returns: object({
          book: {
            anyOf: [
              object(
                { title: text('Title.'), subtitle: text('Subtitle.'), pages: { type: ['integer', 'null'] } },
                ['subtitle'],
              ),
              { type: 'null' },
            ],
          },
        }),
        run: ({ isbn: wanted }: { isbn: string }) => ({ book: books[wanted] ?? null }),
      },
      {
        name: 'describeBook',
        description: 'Title, and the subtitle where there is one.',
        parameters: object({ isbn }),
        returns: object(
          {
            title: text('Title.'),
            subtitle: text('Only if the book has one.'),
            pages: { type: ['integer', 'null'] },
          },
          ['subtitle'],
        ),
        examples: [{ isbn: '9780131103627' }],
        run: ({ isbn: wanted }: { isbn: string }): Members => {
          const book = books[wanted];
          if (book === undefined) throw new Refused('NOT_FOUND', 'No book with this ISBN', 404);
          return book;
        },
      },
    ];
  },
});

export const parcels = natural({
  name: 'parcels',
  description: 'Pages through parcels with a cursor.',
  open: () => {
    const parcels = Array.from({ length: 57 }, (_, index) => ({
      tracking: `P${1000 + index}`,
      grams: 100 + index * 7,
    }));
    return [
      {
        name: 'listParcels',
        description: 'One page of parcels. nextCursor is missing on the last page.',
        parameters: object(
          {
            pageSize: integer('Parcels on a page', { minimum: 1, maximum: 25, default: 10 }),
            cursor: text('nextCursor of the page before'),
          },
          ['pageSize', 'cursor'],
        ),
        returns: object(
          {
            parcels: list(object({ tracking: text('Number.'), grams: integer('Weight.') }), 'The page.'),
            nextCursor: text('For the next page.'),
          },
          ['nextCursor'],
        ),
        examples: [{ pageSize: 5 }],
        run: ({ pageSize = 10, cursor = '0' }: { pageSize?: number; cursor?: string }): Members => {
          const start = Number(cursor);
          if (!Number.isInteger(start))
            throw new Refused('BAD_CURSOR', 'cursor must be one that a page gave');
          const end = start + pageSize;
          return {
            parcels: parcels.slice(start, end),
            ...(end < parcels.length ? { nextCursor: String(end) } : {}),
          };
        },
      },
    ];
  },
});

export const dataExport = natural({
  name: 'export',
  description: 'Exports measurements; a full export is about a megabyte.',
  open: () => {
    const rows = Array.from({ length: 14_000 }, (_, index) => ({
      sensor: `sensor-${index % 40}`,
      minute: index,
      value: Math.round(Math.sin(index / 50) * 1000) / 1000,
      unit: 'celsius',
    }));
    return [
      {
        name: 'exportAll',
        description: 'All measurements.',
        parameters: object({}),
        returns: object({ rows: list({ type: 'object' }, 'About 14,000.'), count: integer('How many.') }),
        run: () => ({ rows, count: rows.length }),
      },
      {
        name: 'exportSensor',
        description: 'Measurements of one sensor.',
        parameters: object({ sensor: text('Name of the sensor', { default: 'sensor-0' }) }),
        returns: object({ values: list({ type: 'number' }, 'In the order of time.') }),
        run: ({ sensor }: { sensor: string }) => ({
          values: rows.filter((row) => row.sensor === sensor).map(({ value }) => value),
        }),
      },
    ];
  },
});

export const areas = natural({
  name: 'areas',
  description: 'Areas of plane shapes.',
  undecidedInA: ['area'],
  open: () => {
    const length = { type: 'number', exclusiveMinimum: 0 };
    const shape = {
      description: 'A circle, a square or a rectangle',
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: length },
          required: ['kind', 'radius'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'square' }, side: length },
          required: ['kind', 'side'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'rectangle' }, width: length, height: length },
          required: ['kind', 'width', 'height'],
        },
      ],
    };
    return [
      {
        name: 'area',
        description: 'Area of a shape, rounded if you like.',
        parameters: object(
          {
            shape,
            digits: {
              type: ['integer', 'null'],
              minimum: 0,
              maximum: 10,
              description: 'Digits after the point',
            },
          },
          ['digits'],
        ),
        returns: object({ area: number('In square units.') }),
        run: ({
          shape: given,
          digits = null,
        }: {
          shape: Record<string, number | string>;
          digits?: number | null;
        }) => {
          const { kind, radius = 0, side = 0, width = 0, height = 0 } = given as Record<string, number>;
          const all: Record<string, number> = {
            circle: Math.PI * radius ** 2,
            square: side ** 2,
            rectangle: width * height,
          };
          const area = all[String(kind)] ?? 0;
          return { area: digits === null ? area : Number(area.toFixed(digits)) };
        },
      },
    ];
  },
});
