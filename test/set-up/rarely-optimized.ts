/** Options of Node.js: JavaScript is optimized fifteen times later, and WebAssembly, in which embedded stores run, never. */
export const RARELY_OPTIMIZED = ['--interrupt-budget=1000000', '--liftoff-only'];
