/** Of every picture, in units of its view box. */
export const WIDTH = 340;
export const HEIGHT = 130;
export const LEFT = 38;
export const RIGHT = 326;
export const TOP = 8;
