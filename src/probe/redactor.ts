/** Something that must not be kept, with the shell variable that stands for it. */
export interface Secret {
  readonly value: string;
  /** Without the dollar sign: `PROBITY_TOKEN`. */
  readonly variable: string;
}

export interface Redactor {
  text(text: string): string;
  bytes(bytes: Buffer): Buffer;
}

/** Shorter values would be found in innocent places, and are no secrets to speak of. */
const LEAST_CHARACTERS = 8;

/**
 * Replaces secrets wherever they stand, also when a target echoes them URL-encoded, JSON-escaped or inside base64.
 * Judgement sees what is left, so that a saved report judges the same.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const replacements = secrets
    .filter(({ value }) => value.length >= LEAST_CHARACTERS)
    .flatMap(({ value, variable }) =>
      encodingsOf(value).map((encoded) => ({ encoded, placeholder: `$${variable}` })),
    )
    .sort((left, right) => right.encoded.length - left.encoded.length);
  const binary = replacements.map(({ encoded, placeholder }) => ({
    encoded: Buffer.from(encoded, 'utf8').toString('latin1'),
    placeholder,
  }));
  const replace = (text: string, pairs: typeof replacements): string =>
    pairs.reduce((current, { encoded, placeholder }) => current.replaceAll(encoded, placeholder), text);
  return {
    text: (text) => replace(text, replacements),
    bytes: (bytes) => {
      if (binary.length === 0) return bytes;
      const before = bytes.toString('latin1');
      const after = replace(before, binary);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
  };
}

function encodingsOf(secret: string): readonly string[] {
  const percentEncoded = encodeURIComponent(secret);
  const jsonEscaped = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([
      secret,
      percentEncoded,
      percentEncoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      percentEncoded.replaceAll('%20', '+'),
      jsonEscaped,
      jsonEscaped.replaceAll('/', '\\/'),
      ...base64Cores(secret),
    ]),
  ];
}

const LEAST_CORE_CHARACTERS = 8;

/** What base64 of any text that holds the secret must contain, for each of the three ways in which it can be aligned. */
function base64Cores(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const wholeCharacters = Math.floor(((shift + bytes.length) * 8) / 6);
    const core = encoded.slice(from, wholeCharacters);
    if (core.length < LEAST_CORE_CHARACTERS) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
