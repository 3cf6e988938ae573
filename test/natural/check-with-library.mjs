import { checkServer } from '../../dist/index.js';

// Checks a server with the built library: node check-with-library.mjs URL OPTIONS. Prints the result.

const [, , url = '', options = '{}'] = process.argv;
process.stdout.write(JSON.stringify(await checkServer(url, JSON.parse(options))));
