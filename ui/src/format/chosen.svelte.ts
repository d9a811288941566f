// How figures are written, as a reader chose: what is shown follows at once.

export const unitSystems = ['binary', 'decimal'] as const;
export type UnitSystem = (typeof unitSystems)[number];

class Chosen {
  /** The IANA name of a zone; null is the system's. */
  timeZone: string | null = $state(null);
  /** 1 KiB is 1,024 bytes, or 1 kB is 1,000. */
  units: UnitSystem = $state('binary');
}

export const chosen = new Chosen();
