// How colours look: contrast as WCAG 2 counts it, and how far apart two colours are, also for colour-blind readers.

type Rgb = [number, number, number];

/** `#rrggbb` to linear light, 0 to 1. */
export function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** 1 (none) to 21 (black on white). */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(linear(a)) + 0.05, luminance(linear(b)) + 0.05];
  return x > y ? x / y : y / x;
}

/** Machado, Oliveira and Fernandes (2009), full severity, on linear light. */
const seen: Record<string, number[]> = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

export const waysOfSeeing = Object.keys(seen);

function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Lightness as the eye sees it, 0 to 100. */
export function lightness(hex: string): number {
  return oklab(linear(hex))[0] * 100;
}

/** Distance in OKLab times 100: about 2 is just visible side by side, 10 is plain. */
export function apart(a: string, b: string, way = 'normal'): number {
  const matrix = seen[way]!;
  const look = (hex: string): Rgb => {
    const rgb = linear(hex);
    const row = (i: number) =>
      Math.min(1, Math.max(0, matrix[i]! * rgb[0] + matrix[i + 1]! * rgb[1] + matrix[i + 2]! * rgb[2]));
    return oklab([row(0), row(3), row(6)]);
  };
  const [x, y] = [look(a), look(b)];
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) * 100;
}
